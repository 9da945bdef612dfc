#include "testing/mutation/mutants.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/lexer.h"
#include "codegen/source.h"

namespace tessera::testing {
namespace {

using codegen::Token;

const std::set<std::string>& Statements() {
  static const auto* words = new std::set<std::string>{
      "doc",    "type", "in",   "out",    "attr",   "let",      "shape",    "require", "ref",
      "temp",   "fast", "body", "onnx",   "aten",   "rewrite",  "lower",    "permute", "example",
      "reject", "role", "code", "effect", "extern", "commutes", "quantize", "shader"};
  return *words;
}

// Tokens first .. last - 1 are of one kind.
struct Region {
  std::string kind;
  size_t first, last;
};

class Scanner {
 public:
  explicit Scanner(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::vector<Region> Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (Is(i, "op") || Is(i, "builder")) {
        i = Body(Brace(i + 2));
      } else if (Is(i, "family")) {
        i = Body(Closed(i + 2));
      } else if (Is(i, "fn")) {
        size_t end = i + 1;
        while (end < tokens_.size() && !Is(end, "fn") && !Is(end, "op") && !Is(end, "builder") &&
               !Is(end, "family"))
          ++end;
        size_t equals = i;
        while (equals < end && !Is(equals, "=")) ++equals;
        Add("semantics", equals + 1, end);
        i = end - 1;
      }
    }
    return regions_;
  }

 private:
  bool Is(size_t i, const char* text) const {
    return i < tokens_.size() && tokens_[i].kind != Token::kString && tokens_[i].text == text;
  }

  // Past the bracket that closes the one at `i`.
  size_t Closed(size_t i) const {
    int depth = 0;
    for (; i < tokens_.size() && tokens_[i].kind != Token::kEnd; ++i) {
      if (Is(i, "{") || Is(i, "(") || Is(i, "[")) ++depth;
      if ((Is(i, "}") || Is(i, ")") || Is(i, "]")) && --depth == 0) return i + 1;
    }
    return i;
  }

  // Of an op, behind its name; before the brace of a member are the arguments for its family.
  size_t Brace(size_t i) {
    if (!Is(i, ":")) return i;
    if (!Is(i + 2, "(")) return i + 2;
    const size_t end = Closed(i + 2);
    Add("semantics", i + 3, end - 1);
    return end;
  }

  void Add(const std::string& kind, size_t first, size_t last) {
    if (first < last) regions_.push_back({kind, first, last});
  }

  // A statement ends where the next begins, at the depth of the op's body.
  size_t StatementEnd(size_t i) const {
    while (i < tokens_.size() && !Is(i, "}")) {
      if (Is(i, "{") || Is(i, "(") || Is(i, "[")) {
        i = Closed(i);
        continue;
      }
      // `out`, `in` and others are names too; they begin a statement where a name follows. `reject
      // type.T` names a constraint.
      if (tokens_[i].kind == Token::kName && Statements().count(tokens_[i].text) != 0 &&
          !Is(i + 1, ",") && !Is(i + 1, ")") && !Is(i + 1, ".") && !Is(i - 1, "."))
        return i;
      ++i;
    }
    return i;
  }

  size_t Body(size_t brace) {
    const size_t end = Closed(brace);
    bool fast = false;
    for (size_t i = brace; i < end; ++i) fast = fast || (Is(i, "fast") && Is(i + 1, "extern"));
    for (size_t i = brace + 1; i + 1 < end;) {
      const std::string word = tokens_[i].text;
      size_t next = StatementEnd(i + 1);
      if (word == "require") {
        size_t until = i;
        while (until < next && !Is(until, "else")) ++until;
        Add("semantics", i + 1, until);
      } else if (word == "ref" || word == "temp") {
        if (!Is(i + 1, "extern")) Add(fast ? "fast-ref" : "semantics", i + 1, next);
      } else if (word == "attr") {
        Attribute(i, next);
      } else if (word == "type" || word == "shape" || word == "let" || word == "body" ||
                 word == "in" || word == "out") {
        Add("semantics", i + 1, next);
      } else if (word == "onnx") {
        Add("import", i + 1, next);
      } else if (word == "aten") {
        Add("aten", i + 1, next);
      } else if (word == "quantize") {
        Add("quantize", i, next);
      } else if (word == "permute" || word == "code") {
        Add("facts", i, next);
      } else if (word == "lower") {
        Add("lowering", i + 2, next);
      } else if (word == "rewrite") {
        Rewrite(i, next);
      }
      i = std::max(next, i + 1);
    }
    return end - 1;
  }

  // The default and `where`.
  void Attribute(size_t i, size_t next) {
    while (i < next && !Is(i, "=") && !Is(i, "where")) ++i;
    Add("semantics", i, next);
  }

  void Rewrite(size_t i, size_t next) {
    const size_t name = i + 1;
    while (i < next && !Is(i, "{")) ++i;
    Add("rewrite-left", name + 1, i);
    size_t arrow = i, when = next, example = next;
    for (size_t k = i + 1; k < next; ++k) {
      if (Is(k, "=>")) arrow = k;
      if (Is(k, "when")) when = std::min(when, k);
      if (Is(k, "example") && Is(k + 1, "{")) example = std::min(example, k);
    }
    example = std::min(example, next - 1);
    when = std::min(when, example);
    Add("rewrite-left", i + 1, arrow);
    Add("rewrite-right", arrow + 1, when);
    Add("rewrite-left", when + 1, example);
  }

  const std::vector<Token>& tokens_;
  std::vector<Region> regions_;
};

const std::map<std::string, std::vector<std::string>>& Opposites() {
  static const auto* opposites = new std::map<std::string, std::vector<std::string>>{
      {"==", {"!="}},
      {"!=", {"=="}},
      {"<", {"<="}},
      {"<=", {"<"}},
      {">", {">="}},
      {">=", {">"}},
      {"+", {"-"}},
      {"-", {"+"}},
      {"*", {"+"}},
      {"/", {"*"}},
      {"&&", {"||"}},
      {"||", {"&&"}},
      {"true", {"false"}},
      {"false", {"true"}},
      {"min", {"max"}},
      {"max", {"min"}},
      {"sum", {"max"}},
      {"floordiv", {"ceildiv"}},
      {"ceildiv", {"floordiv"}},
      {"take", {"drop"}},
      {"drop", {"take"}},
      {"floor", {"ceil"}},
      {"ceil", {"floor"}},
      {"lowest", {"highest"}},
      {"highest", {"lowest"}},
      {"pads_begin", {"pads_end"}},
      {"pads_end", {"pads_begin"}},
      {"strides", {"dilations"}},
      {"dilations", {"strides"}},
      {"ones", {"zeros"}},
      {"zeros", {"ones"}},
      {"SAME", {"VALID"}},
      {"VALID", {"SAME"}},
      {"forall", {"exists"}},
      {"exists", {"forall"}},
      {"float", {"number", "f32"}},
      {"number", {"float", "any"}},
      {"any", {"number"}},
      {"index", {"int"}},
      {"signed", {"number"}},
      {"round", {"floor"}},
      {"sums", {"inputs"}},
      {"inputs", {"agnostic", "never"}},
      {"clamps", {"inputs"}},
      {"agnostic", {"unified", "inputs"}},
      {"i64", {"i32"}},
      {"i32", {"i64"}},
      {"f32", {"f64"}},
      {"rank", {"len"}},
      {"axis", {"rows"}},
      {"axes", {"rows"}},
      {"rows", {"axes"}},
      {"EXP", {"LOG"}},
      {"MAXIMUM", {"MINIMUM"}},
      {"MINIMUM", {"MAXIMUM"}},
      {"ADD", {"SUB"}},
      {"SUB", {"ADD"}},
      {"MUL", {"ADD"}},
      {"DIV", {"MUL"}},
      {"Add", {"Sub"}},
      {"Sub", {"Add"}},
      {"Mul", {"Add"}},
      {"Div", {"Mul"}},
  };
  return *opposites;
}

class Mutator {
 public:
  Mutator(const std::string& path, const std::string& text, const std::vector<Token>& tokens,
          const std::set<std::string>& commuting)
      : path_(path), text_(text), tokens_(tokens), commuting_(commuting) {}

  void Run(const Region& region) {
    kind_ = region.kind;
    region_ = region;
    for (size_t i = region.first; i < region.last; ++i) {
      if (tokens_[i].kind == Token::kString) continue;
      Number(i);
      Opposite(i);
      DropType(i);
      DropConjunct(i);
      DropFirstConjunct(i);
      SwapOperands(i);
      MoveArgument(i);
      MoveIndex(i);
      DropWord(i);
      Identity(i);
      Arguments(i);
      Neighbours(i);
    }
  }

  std::vector<Mutant> Take() { return std::move(mutants_); }

 private:
  size_t Begin(size_t i) const { return tokens_[i].place.offset; }
  size_t End(size_t i) const {
    const size_t quotes = tokens_[i].kind == Token::kString ? 2 : 0;
    return Begin(i) + tokens_[i].text.size() + quotes;
  }
  bool Is(size_t i, const char* text) const {
    return i >= region_.first && i < region_.last && tokens_[i].kind != Token::kString &&
           tokens_[i].text == text;
  }

  void Replace(size_t first, size_t last, const std::string& after) {
    const size_t begin = Begin(first), end = End(last);
    const std::string before = text_.substr(begin, end - begin);
    if (before != after) mutants_.push_back({kind_, path_, begin, before, after});
  }

  void Number(size_t i) {
    const Token& token = tokens_[i];
    if (token.kind == Token::kInt && token.text.size() < 10) {
      const long value = std::stol(token.text);
      Replace(i, i, absl::StrCat(value + 1));
      if (value > 0) Replace(i, i, absl::StrCat(value - 1));
    } else if (token.kind == Token::kFloat) {
      Replace(i, i, absl::StrCat("(", token.text, " * 2)"));
    }
  }

  void Opposite(size_t i) {
    const auto found = Opposites().find(tokens_[i].text);
    if (found == Opposites().end()) return;
    // The name of an argument is no name of a value.
    if (tokens_[i].kind == Token::kName && Is(i + 1, ":") && kind_ != "facts") return;
    if (tokens_[i].kind == Token::kName && Is(i + 1, "=") && kind_ != "semantics") return;
    for (const std::string& other : found->second) Replace(i, i, other);
  }

  // One of the element types that a variable takes.
  void DropType(size_t i) {
    if (Is(i, "|")) Replace(i, i + 1, "");
  }

  // The operand on the right of `&&`, or the one on its left.
  void DropConjunct(size_t i) {
    if (!Is(i, "&&") && !Is(i, "||")) return;
    size_t last = i;
    for (size_t k = i + 1; k < region_.last; ++k) {
      if (Is(k, "(") || Is(k, "[")) {
        k = Closing(k);
        last = k;
        continue;
      }
      if (Is(k, "&&") || Is(k, "||") || Is(k, ")") || Is(k, "]") || Is(k, "=>") || Is(k, "?") ||
          Is(k, ":") || Is(k, ",") || Is(k, "}") || Is(k, "else") || Is(k, "let") || Is(k, "when"))
        break;
      last = k;
    }
    if (last > i) Replace(i, last, "");
  }

  static bool IsOne(const std::set<std::string>& words, const std::string& text) {
    return words.count(text) != 0;
  }
  bool IsOperator(size_t i, const std::set<std::string>& operators) const {
    return i >= region_.first && i < region_.last && tokens_[i].kind != Token::kString &&
           IsOne(operators, tokens_[i].text);
  }
  // A name, a number, or a call, an element or what is in parentheses: its first or last token.
  // Without one, `i` itself.
  size_t OperandBefore(size_t i) const {
    if (i <= region_.first) return i;
    size_t at = i - 1;
    if (Is(at, ")") || Is(at, "]")) {
      int depth = 0;
      for (;; --at) {
        if (Is(at, ")") || Is(at, "]")) ++depth;
        if ((Is(at, "(") || Is(at, "[")) && --depth == 0) break;
        if (at == region_.first) return i;
      }
      if (at > region_.first && tokens_[at - 1].kind == Token::kName &&
          !IsOne(Words(), tokens_[at - 1].text))
        --at;
      return at;
    }
    const Token::Kind kind = tokens_[at].kind;
    const bool plain = kind == Token::kInt || kind == Token::kFloat ||
                       (kind == Token::kName && !IsOne(Words(), tokens_[at].text));
    return plain ? at : i;
  }
  size_t OperandBehind(size_t i) const {
    size_t at = i + 1;
    if (at >= region_.last) return i;
    const Token::Kind kind = tokens_[at].kind;
    if (kind == Token::kInt || kind == Token::kFloat) return at;
    if (Is(at, "(")) return Closing(at);
    if (kind != Token::kName || IsOne(Words(), tokens_[at].text)) return i;
    while (Is(at + 1, "(") || Is(at + 1, "[")) at = Closing(at + 1);
    return at;
  }
  static const std::set<std::string>& Words() {
    static const auto* words =
        new std::set<std::string>{"in", "else", "when", "otherwise", "let", "for"};
    return *words;
  }

  // `a - b` as `b - a`, where nothing binds tighter.
  void SwapOperands(size_t i) {
    static const std::set<std::string> kSwapped = {"-", "/", "<", "<=", ">", ">=", "++"};
    static const std::set<std::string> kTighter = {"*", "/", "-", ".", ":", "?", "!"};
    if (!IsOperator(i, kSwapped)) return;
    const size_t first = OperandBefore(i), last = OperandBehind(i);
    if (first == i || last == i || IsOperator(last + 1, {"*", "/", ".", "...", "["})) return;
    if (first > region_.first && IsOperator(first - 1, kTighter)) return;
    Replace(first, last,
            absl::StrCat(Text(i + 1, last), " ", tokens_[i].text, " ", Text(first, i - 1)));
  }

  // The operand on the left of `&&`.
  void DropFirstConjunct(size_t i) {
    if (!Is(i, "&&") && !Is(i, "||")) return;
    size_t first = i;
    while (first > region_.first) {
      const size_t at = first - 1;
      if (Is(at, "&&") || Is(at, "||") || Is(at, "(") || Is(at, "[") || Is(at, "?") ||
          Is(at, ":") || Is(at, ",") || Is(at, "{") || Is(at, "when") || Is(at, "=") ||
          Is(at, "=>") || Is(at, "else"))
        break;
      if (Is(at, ")") || Is(at, "]")) {
        int depth = 0;
        size_t k = at;
        for (; k > region_.first; --k) {
          if (Is(k, ")") || Is(k, "]")) ++depth;
          if ((Is(k, "(") || Is(k, "[")) && --depth == 0) break;
        }
        first = k;
        continue;
      }
      first = at;
    }
    // Of `require ID cond` the id stays.
    if (first == region_.first && region_.first > 0 && tokens_[region_.first - 1].text == "require")
      ++first;
    if (first < i) Replace(first, i, "");
  }

  // `pads_begin: e` as `pads_begin: (e) + 1`.
  void MoveArgument(size_t i) {
    static const std::set<std::string> kMoved = {
        "pads_begin", "pads_end", "starts", "sizes", "axis", "shape", "steps", "begin", "size"};
    if (!Is(i + 1, ":") || tokens_[i].kind != Token::kName || !IsOne(kMoved, tokens_[i].text) ||
        kind_ == "rewrite-left" || kind_ == "facts")
      return;
    size_t last = i + 1;
    for (size_t k = i + 2; k < region_.last; ++k) {
      if (Is(k, "(") || Is(k, "[")) {
        last = k = Closing(k);
        continue;
      }
      if (Is(k, ",") || Is(k, ")")) break;
      last = k;
    }
    if (last > i + 1) Replace(i + 2, last, absl::StrCat("(", Text(i + 2, last), ") + 1"));
  }

  // `x[i]` as `x[i + 1]`.
  void MoveIndex(size_t i) {
    if ((kind_ != "semantics" && kind_ != "fast-ref") || tokens_[i].kind != Token::kName) return;
    const bool before =
        (Is(i - 1, "[") && i > region_.first + 1 && tokens_[i - 2].kind == Token::kName) ||
        Is(i - 1, ",");
    if (before && (Is(i + 1, "]") || Is(i + 1, ",")) &&
        IsOne({"n", "m", "c", "k", "t", "p", "q", "d", "h", "b"}, tokens_[i].text))
      Replace(i, i, absl::StrCat("(", tokens_[i].text, " + 1)"));
  }

  // `assumes finite`, `until 6`, the bias of a product, one part of `permute`: left out.
  void DropWord(size_t i) {
    if (Is(i, "until") && kind_ == "import") Replace(i, i + 1, "");
    if (Is(i, "assumes") && (kind_ == "rewrite-left" || kind_ == "lowering")) Replace(i, i + 1, "");
    if ((Is(i, "bias") || Is(i, "groups")) && kind_ == "quantize") Replace(i, i + 1, "");
    if (Is(i, ",") && kind_ == "facts" && Is(i + 2, ":")) Replace(i, i + 3, "");
  }

  // What a constraint is called.
  void Identity(size_t i) {
    if (i == region_.first && i > 0 && tokens_[i - 1].text == "require" && kind_ == "semantics")
      Replace(i, i, absl::StrCat(tokens_[i].text, "_too"));
  }

  std::string Text(size_t first, size_t last) const {
    return text_.substr(Begin(first), End(last) - Begin(first));
  }

  size_t Closing(size_t i) const {
    int depth = 0;
    for (; i < region_.last; ++i) {
      if (Is(i, "(") || Is(i, "[") || Is(i, "{")) ++depth;
      if ((Is(i, ")") || Is(i, "]") || Is(i, "}")) && --depth == 0) return i;
    }
    return region_.last - 1;
  }

  // Of a call: an argument by name left out, two neighbours swapped, the only one without the call.
  void Arguments(size_t i) {
    if (!Is(i, "(") || i == region_.first || tokens_[i - 1].kind != Token::kName) return;
    const size_t close = Closing(i);
    std::vector<std::pair<size_t, size_t>> arguments;
    size_t from = i + 1;
    for (size_t k = i + 1; k <= close; ++k) {
      if (k < close && (Is(k, "(") || Is(k, "[") || Is(k, "{"))) {
        k = Closing(k);
        continue;
      }
      if (k != close && !Is(k, ",")) continue;
      if (k > from) arguments.emplace_back(from, k - 1);
      from = k + 1;
    }
    const auto is_named = [&](const auto& argument) { return Is(argument.first + 1, ":"); };
    const auto text = [&](const auto& argument) {
      return text_.substr(Begin(argument.first), End(argument.second) - Begin(argument.first));
    };
    for (size_t a = 0; a < arguments.size(); ++a) {
      if (a > 0 && is_named(arguments[a]))
        Replace(arguments[a - 1].second + 1, arguments[a].second, "");
      const bool commutes = commuting_.count(tokens_[i - 1].text) != 0 && a == 0;
      if (a + 1 < arguments.size() && !is_named(arguments[a]) && !is_named(arguments[a + 1]) &&
          !commutes)
        Replace(arguments[a].first, arguments[a + 1].second,
                absl::StrCat(text(arguments[a + 1]), ", ", text(arguments[a])));
    }
    // A dim as a number of the host is the same number.
    const bool same = tokens_[i - 1].text == "int" || tokens_[i - 1].text == "ints";
    if (arguments.size() == 1 && !is_named(arguments[0]) && kind_ != "import" && !same)
      Replace(i - 1, close, absl::StrCat("(", text(arguments[0]), ")"));
    // `Transpose(x, perm: p)` without what it does.
    if (arguments.size() > 1 && !is_named(arguments[0]) &&
        std::all_of(arguments.begin() + 1, arguments.end(), is_named) && kind_ != "import" &&
        kind_ != "rewrite-left")
      Replace(i - 1, close, text(arguments[0]));
  }

  // An index for the one beside it.
  void Neighbours(size_t i) {
    if (!Is(i, ",") || i < region_.first + 2 || i + 2 >= region_.last) return;
    const bool in_list = (Is(i - 2, "[") || Is(i - 2, ",")) && (Is(i + 2, "]") || Is(i + 2, ","));
    const bool names = tokens_[i - 1].kind == tokens_[i + 1].kind &&
                       (tokens_[i - 1].kind == Token::kName || tokens_[i - 1].kind == Token::kInt);
    if (in_list && names)
      Replace(i - 1, i + 1, absl::StrCat(tokens_[i + 1].text, ", ", tokens_[i - 1].text));
  }

  const std::string& path_;
  const std::string& text_;
  const std::vector<Token>& tokens_;
  const std::set<std::string>& commuting_;
  std::string kind_;
  Region region_;
  std::vector<Mutant> mutants_;
};

}  // namespace

const std::vector<std::string>& MutantKinds() {
  static const auto* kinds =
      new std::vector<std::string>{"rewrite-right", "lowering", "semantics", "fast-ref", "import",
                                   "rewrite-left",  "facts",    "aten",      "quantize"};
  return *kinds;
}

std::set<std::string> CommutingIn(const std::string& text) {
  const codegen::Source source{"", text};
  codegen::Diagnostics diagnostics;
  const std::vector<Token> tokens = codegen::Lex(source, 0, text.size(), diagnostics);
  std::set<std::string> names;
  std::string op;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::kName) continue;
    if (tokens[i - 1].text == "op" && tokens[i - 1].kind == Token::kName) op = tokens[i].text;
    if (tokens[i].text == "commutes") names.insert(op);
  }
  return names;
}

std::vector<Mutant> MutantsOf(const std::string& path, const std::string& text,
                              const std::set<std::string>& commuting) {
  const codegen::Source source{path, text};
  codegen::Diagnostics diagnostics;
  const std::vector<Token> tokens = codegen::Lex(source, 0, text.size(), diagnostics);
  Mutator mutator(path, text, tokens, commuting);
  for (const Region& region : Scanner(tokens).Run()) mutator.Run(region);
  return mutator.Take();
}

std::string Applied(const Mutant& mutant, const std::string& text) {
  return absl::StrCat(text.substr(0, mutant.offset), mutant.after,
                      text.substr(mutant.offset + mutant.before.size()));
}

std::string Description(const Mutant& mutant, const std::string& text) {
  const std::string before = text.substr(0, mutant.offset);
  return absl::StrCat(mutant.path, ":", 1 + std::count(before.begin(), before.end(), '\n'), ":",
                      before.size() - (before.rfind('\n') + 1) + 1, ": `", mutant.before, "` -> `",
                      mutant.after, "`");
}

}  // namespace tessera::testing
