// Definitions of ops, as far as the generator's checks.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/check.h"
#include "codegen/guard_emitter.h"
#include "codegen/program.h"
#include "fuzz/targets/target.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  codegen::Diagnostics diagnostics;
  codegen::Program program;
  program.Add({codegen::Source{"fuzzed.op", std::string(bytes)}}, diagnostics);
  if (diagnostics.empty()) {
    codegen::EmitGuards({program.FileOf("fuzzed.op")});
    codegen::CheckAll(program, {program.FileOf("fuzzed.op")}, diagnostics);
  }
  const std::string text = diagnostics.Render();
  return text.empty() || absl::StartsWith(text, "fuzzed.op:")
             ? ""
             : absl::StrCat("a diagnostic without its place: ", text);
}

std::vector<std::string> Seeds(const std::vector<std::string>&) { return {}; }

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
