// What a compression did, as a page.
#ifndef TESSERA_TOOLS_COMPRESSION_REPORT_H_
#define TESSERA_TOOLS_COMPRESSION_REPORT_H_

#include <string>
#include <vector>

#include "report/page.h"
#include "tools/compression/run.h"

namespace tessera::tools {

// `judges`: the samples that the qualities were measured on.
report::Page CompressionPage(const std::string& model, const Compressed& compressed,
                             const std::vector<Quality>& qualities, const Judges& judges,
                             const std::vector<std::string>& kept_to = {});

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_REPORT_H_
