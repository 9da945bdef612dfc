// Rows of text in aligned columns.
#ifndef TESSERA_TOOLS_CLI_TABLE_H_
#define TESSERA_TOOLS_CLI_TABLE_H_

#include <string>
#include <vector>

#include "ir/tensor.h"

namespace tessera::cli {

// One line per row, two spaces between columns, no space at a line's end. The first row is the
// header. Rows may be shorter than the header. A cell is one line, whatever it holds
// (support/printable.h).
std::string Table(const std::vector<std::vector<std::string>>& texts);

// `f32[2,3,224,224]`.
std::string TypeText(const ir::Tensor& tensor);
// Four significant digits; `inf`, `nan`.
std::string NumberText(double value);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_TABLE_H_
