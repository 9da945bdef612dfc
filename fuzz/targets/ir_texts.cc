// The text form of graphs.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/networks/generator.h"
#include "fuzz/targets/target.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "testing/sampling/all_checks.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(bytes);
  if (!graph.ok()) {
    return absl::IsInternal(graph.status())
               ? absl::StrCat("blames us: ", std::string(graph.status().message()))
               : "";
  }
  if (const absl::Status verified = ir::Verify(**graph); !verified.ok())
    return absl::StrCat("accepted, but does not verify: ", std::string(verified.message()));
  ir::PrintOptions all;
  all.inline_elements = 1 << 20;
  const std::string text = ir::Print(**graph, all);
  const absl::StatusOr<std::unique_ptr<ir::Graph>> again = ir::Parse(text);
  if (!again.ok())
    return absl::StrCat("not read back: ", std::string(again.status().message()), "\n", text);
  return ir::Print(**again, all) == text ? "" : absl::StrCat("read back as another: ", text);
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  const std::vector<testing::Subject> subjects = testing::CoreSubjects();
  Generator generator(subjects);
  std::vector<std::string> seeds;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ir::Graph graph;
    std::vector<ir::Value*> values;
    if (Build(generator.Make(seed, 6), graph, values).ok()) seeds.push_back(ir::Print(graph));
  }
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
