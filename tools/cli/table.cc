#include "tools/cli/table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"

namespace tessera::cli {

std::string Table(const std::vector<std::vector<std::string>>& texts) {
  std::vector<std::vector<std::string>> rows = texts;
  for (std::vector<std::string>& row : rows) {
    for (std::string& cell : row) cell = support::Printable(cell);
  }
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      line.append(widths[c] - row[c].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string TypeText(const ir::Tensor& tensor) {
  return absl::StrCat(std::string(ir::NameOf(tensor.dtype())), "[",
                      absl::StrJoin(tensor.shape(), ","), "]");
}

std::string NumberText(double value) { return absl::StrFormat("%.4g", value); }

}  // namespace tessera::cli
