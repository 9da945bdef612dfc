// Programs of torch.export.save: archives with other entries, rather than other bytes.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/pt2/import.h"
#include "fuzz/targets/archive_mutation.h"
#include "fuzz/targets/target.h"
#include "ir/aten.h"
#include "ir/graph.h"
#include "ir/registry.h"
#include "support/memory_limit.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();                      // generated
absl::Span<const ir::AtenInfo* const> CoreAten();  // generated
}  // namespace tessera::ops

namespace tessera::fuzz {
namespace {

bool Prepare() {
  ir::Registry::Global().Add(ops::CoreOps());
  // Some tens of KiB are no reason for more; where it is met the program ends, which is a finding.
  support::LimitMemory("exported_programs", {.bytes = int64_t{1} << 30, .per_mapped_byte = 0}, 1);
  return true;
}

}  // namespace

std::string Try(std::string_view bytes) {
  [[maybe_unused]] static const bool prepared = Prepare();
  // On the heap and of exact size: reads past its end are found.
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto owner = std::make_shared<std::vector<uint8_t>>(data, data + bytes.size());
  const auto import = pt2_import::Import({owner, *owner}, "fuzz.pt2", {}, ops::CoreAten());
  if (import.ok()) {
    const absl::Status status = ir::Verify(*import->graph);
    if (status.ok()) return "";
    return absl::StrCat("accepted, but the graph does not verify: ", status.message());
  }
  for (absl::string_view line : absl::StrSplit(import.status().message(), '\n')) {
    if (!absl::StartsWith(line, "fuzz.pt2: ") && !absl::StartsWith(line, "    "))
      return absl::StrCat("a line without the file: ", line);
  }
  return "";
}

std::vector<std::string> Seeds(const std::vector<std::string>&) { return {}; }

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherEntries(bytes, words, random);
}

}  // namespace tessera::fuzz
