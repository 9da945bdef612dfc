// The language on damaged definitions: whatever is wrong with a file, it is told with a place, and
// soon.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/check.h"
#include "codegen/guard_emitter.h"
#include "codegen/lexer.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  size_t Below(size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<size_t>(state_ % n);
  }

 private:
  uint64_t state_;
};

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Piece {
  size_t begin, end;
};

// The tokens of the text.
std::vector<Piece> Pieces(const Source& source) {
  Diagnostics ignored;
  std::vector<Piece> pieces;
  const std::vector<Token> tokens = Lex(source, 0, source.text.size(), ignored);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    pieces.push_back({tokens[i].place.offset, tokens[i + 1].place.offset});
  }
  return pieces;
}

// Tokens taken out, put twice, swapped or put in another's place, or a byte changed.
std::string Damaged(const std::string& text, const std::vector<Piece>& pieces, Random& random) {
  const auto pick = [&] { return pieces[random.Below(pieces.size())]; };
  const auto of = [&](Piece p) { return text.substr(p.begin, p.end - p.begin); };
  const Piece at = pick();
  std::string replacement;
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      replacement = of(at) + of(at);
      break;
    case 2:
      replacement = of(pick());
      break;
    case 3:
      replacement = of(pick()) + of(at);
      break;
    default:
      replacement = of(at);
      replacement[0] = static_cast<char>(random.Below(256));
  }
  return text.substr(0, at.begin) + replacement + text.substr(at.end);
}

// True if it holds: no diagnostics, or all with a place.
bool Holds(const std::string& text, const std::string& target_path, const std::string& target) {
  Diagnostics diagnostics;
  Program program;
  program.Add({Source{target_path, target}, Source{"damaged.op", text}}, diagnostics);
  if (diagnostics.empty()) {
    EmitGuards({program.FileOf("damaged.op")});
    CheckAll(program, {program.FileOf("damaged.op")}, diagnostics);
  }
  const std::string rendered = diagnostics.Render();
  return rendered.empty() || absl::StartsWith(rendered, "damaged.op:");
}

int Main(const std::vector<std::string>& args) {
  constexpr int kRounds = 40;  // per file
  if (args.size() < 2) {
    std::cerr << "usage: mutation_test TARGET.op FILE.op...\n";
    return 2;
  }
  const std::string target = Read(args[0]);
  int tried = 0;
  for (size_t i = 1; i < args.size(); ++i) {
    const Source source{args[i], Read(args[i])};
    const std::vector<Piece> pieces = Pieces(source);
    if (pieces.empty()) {
      std::cerr << args[i] << ": nothing in it\n";
      return 1;
    }
    for (uint64_t round = 1; round <= kRounds; ++round) {
      Random random(round);
      std::string text = source.text;
      for (size_t damages = 1 + random.Below(3); damages > 0; --damages) {
        const Source now{args[i], text};
        const std::vector<Piece> left = Pieces(now);
        if (left.empty()) break;
        text = Damaged(text, left, random);
      }
      // A crash leaves the definition that it came from.
      if (const char* folder = std::getenv("TEST_TMPDIR")) {
        std::ofstream(absl::StrCat(folder, "/last.op"), std::ios::binary) << text;
      }
      ++tried;
      if (!Holds(text, args[0], target)) {
        std::cerr << args[i] << ", round " << round << ": a diagnostic without a place\n" << text;
        return 1;
      }
    }
  }
  std::cerr << tried << " damaged definitions\n";
  return 0;
}

}  // namespace
}  // namespace tessera::codegen

int main(int argc, char** argv) { return tessera::codegen::Main({argv + 1, argv + argc}); }
