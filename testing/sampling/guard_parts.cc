// Writes rewrites of definition files with one part of their guards left out, for the test that
// sees each part decide.
//
//   guard_parts TITLE OUT.op FILE.op...
//
// A part is one side of a `||` in a guard, or of a `&&` in such a side. Each of OUT.op's rewrites
// has one part replaced by what leaves the decision to the others: `PartsOf_DIALECT.OP_NAME__1`,
// with the part and where it stands in a comment above.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/lexer.h"
#include "codegen/source.h"

namespace tessera::testing {
namespace {

using codegen::Token;

struct Part {
  size_t first, last;  // tokens first .. last - 1
  const char* neutral;
};

class Writer {
 public:
  explicit Writer(const codegen::Source& source) : source_(source) {
    codegen::Diagnostics diagnostics;
    tokens_ = codegen::Lex(source, 0, source.text.size(), diagnostics);
  }

  // Functions of the file, where any of its rewrites has parts, and those rewrites without one.
  void Run(std::string& functions, std::string& rewrites) {
    std::string made, op;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (Is(i, "op") && tokens_[i + 1].kind == Token::kName && (Is(i + 2, "{") || Is(i + 2, ":")))
        op = tokens_[i + 1].text;
      if (Is(i, "rewrite") && tokens_[i + 1].kind == Token::kName) Rewrite(i, op, made);
    }
    rewrites += made;
    if (made.empty()) return;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (!Is(i, "fn")) continue;
      size_t end = i + 1;
      while (end + 1 < tokens_.size() && !Is(end, "fn") && !Is(end, "op") && !Is(end, "builder") &&
             !Is(end, "family"))
        ++end;
      absl::StrAppend(&functions, Text(i, end), "\n");
      i = end - 1;
    }
  }

 private:
  bool Is(size_t i, const char* text) const {
    return i < tokens_.size() && tokens_[i].kind != Token::kString && tokens_[i].text == text;
  }
  size_t Begin(size_t i) const { return tokens_[i].place.offset; }
  std::string Text(size_t first, size_t last) const {
    return source_.text.substr(Begin(first), Begin(last) - Begin(first));
  }
  size_t Closed(size_t i) const {
    int depth = 0;
    for (; i + 1 < tokens_.size(); ++i) {
      if (Is(i, "{") || Is(i, "(") || Is(i, "[")) ++depth;
      if ((Is(i, "}") || Is(i, ")") || Is(i, "]")) && --depth == 0) return i;
    }
    return i;
  }

  // Where a separator splits what lies between, outside of brackets. What `forall ...:` or a choice
  // rules ends with it, so that nothing is split behind those.
  std::vector<Part> Split(size_t first, size_t last, const char* separator,
                          const char* neutral) const {
    std::vector<Part> parts;
    size_t begin = first;
    for (size_t i = first; i < last; ++i) {
      if (Is(i, "{") || Is(i, "(") || Is(i, "[")) {
        i = Closed(i);
        continue;
      }
      if (Is(i, ":") || Is(i, "?")) break;
      if (!Is(i, separator)) continue;
      parts.push_back({begin, i, neutral});
      begin = i + 1;
    }
    parts.push_back({begin, last, neutral});
    return parts;
  }

  void Find(size_t first, size_t last, std::vector<Part>& parts) const {
    const std::vector<Part> sides = Split(first, last, "||", "0 == 1");
    for (const Part& side : sides) {
      if (sides.size() > 1) {
        parts.push_back(side);
        const std::vector<Part> both = Split(side.first, side.last, "&&", "0 == 0");
        if (both.size() > 1) parts.insert(parts.end(), both.begin(), both.end());
      }
      for (size_t i = side.first; i < side.last; ++i) {
        if (Is(i, ":")) {  // the body of a quantifier
          Find(i + 1, side.last, parts);
          break;
        }
        if (!Is(i, "(") && !Is(i, "[")) continue;
        const size_t end = Closed(i);
        Find(i + 1, end, parts);
        i = end;
      }
    }
  }

  void Rewrite(size_t at, const std::string& op, std::string& made) const {
    size_t brace = at;
    while (!Is(brace, "{")) ++brace;
    const size_t end = Closed(brace);
    size_t when = end, until = end;
    for (size_t i = brace + 1; i < end; ++i) {
      if (Is(i, "(") || Is(i, "[") || Is(i, "{")) {
        i = Closed(i);
      } else if (Is(i, "when") && when == end) {
        when = i;
      } else if ((Is(i, "example") || Is(i, "keeps")) && Is(i + 1, "{")) {
        until = std::min(until, i);
      }
    }
    if (when == end) return;
    std::vector<Part> parts;
    Find(when + 1, until, parts);
    for (size_t k = 0; k < parts.size(); ++k) {
      const Part& part = parts[k];
      const std::string text = Text(part.first, part.last);
      absl::StrAppend(&made, "  // ", op, ".", tokens_[at + 1].text, "\t", OneLine(text), "\n",
                      "  rewrite ", op, "_", tokens_[at + 1].text, "__", k + 1, " ",
                      Text(at + 2, part.first), "(", part.neutral, ") ", Text(part.last, end),
                      "}\n");
    }
  }

  static std::string OneLine(const std::string& text) {
    std::istringstream words(text);
    std::string line, word;
    while (words >> word) absl::StrAppend(&line, line.empty() ? "" : " ", word);
    return line;
  }

  const codegen::Source& source_;
  std::vector<Token> tokens_;
};

// Of the op that has the rewrites of a dialect.
std::string NameOf(const std::string& dialect) { return absl::StrCat("PartsOf_", dialect); }

int Main(const std::vector<std::string>& args) {
  if (args.size() < 3) {
    std::cerr << "usage: guard_parts DIALECT OUT.op FILE.op...\n";
    return 2;
  }
  std::string functions, rewrites;
  for (size_t i = 2; i < args.size(); ++i) {
    std::ifstream in(args[i], std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    const codegen::Source source{args[i], text.str()};
    Writer(source).Run(functions, rewrites);
  }
  std::ofstream(args[1], std::ios::binary)
      << (args[0] == "core" ? "" : absl::StrCat("dialect ", args[0], "\n")) << functions << "op "
      << NameOf(args[0])
      << " {\n  doc \"x. Has rewrites with parts of their guards left out.\"\n"
         "  type T : f32\n  in   x : T[D...]\n  out  y : T[D...]\n  ref  y[i...] = x[i...]\n"
      << rewrites << "}\n";
  return 0;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }
