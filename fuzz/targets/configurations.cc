// The compiler's YAML configuration.
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/targets/target.h"
#include "passes/pipeline.h"
#include "tools/cli/configuration.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  passes::RunOptions options;
  const absl::Status status =
      cli::ParseConfiguration(
          "c.yaml", std::string(bytes),
          {passes::CanonicalPipeline(), {{"eager", "", false, {"A.eager"}, {}, ""}}}, options)
          .status();
  if (status.ok() || absl::StartsWith(status.message(), "c.yaml:")) return "";
  return absl::StrCat("an error without its place: ", std::string(status.message()));
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  std::string all = "version: \"1.0\"\npasses:\n";
  for (const passes::Pass& pass : passes::CanonicalPipeline())
    absl::StrAppend(&all, "  ", pass.name, ": off\n");
  return {all};
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
