#include "codegen/message_scan.h"

#include <cctype>

namespace tessera::codegen {
namespace {

bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Scanner {
 public:
  explicit Scanner(absl::string_view source) : source_(source) {}

  std::vector<MessagePattern> Run() {
    while (at_ < source_.size()) {
      if (Skip()) continue;
      const std::string name = Name();
      if (name == "Error" || name == "Fail") {
        Call();
      } else if (name.empty()) {
        Next();
      }
    }
    return std::move(messages_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  void Next() {
    if (Peek() == '\n') ++line_;
    ++at_;
  }

  // A comment, a character or a string; true if there was one.
  bool Skip() {
    if (Peek() == '/' && Peek(1) == '/') {
      while (at_ < source_.size() && Peek() != '\n') Next();
      return true;
    }
    if (Peek() != '"' && Peek() != '\'') return false;
    if (Peek() == '\'' && at_ > 0 && IsNamePart(source_[at_ - 1])) return false;  // 1'000
    Literal();
    return true;
  }

  std::string Literal() {
    const char quote = Peek();
    std::string text;
    Next();
    while (at_ < source_.size() && Peek() != quote) {
      if (Peek() == '\\') Next();
      text += Peek();
      Next();
    }
    Next();
    return text;
  }

  std::string Name() {
    std::string name;
    if (at_ > 0 && IsNamePart(source_[at_ - 1])) return name;
    while (IsNamePart(Peek())) {
      name += Peek();
      Next();
    }
    return name;
  }

  void Call() {
    if (Peek() != '(') return;
    MessagePattern message{line_, {}};
    Arguments(&message.pieces);
    if (!message.pieces.empty()) messages_.push_back(std::move(message));
  }

  // From `(` to its `)`; null: what is in between does not count.
  void Arguments(std::vector<std::string>* pieces) {
    Next();
    while (at_ < source_.size() && Peek() != ')') {
      if (Peek() == '"') {
        const std::string literal = Literal();
        if (pieces != nullptr) pieces->push_back(literal);
      } else if (Peek() == '(') {
        Arguments(pieces);
      } else if (!Skip()) {
        const std::string name = Name();
        if (name.empty()) {
          Next();
        } else if (Peek() == '(' && (name == "Suggestion" || name == "StrJoin")) {
          Arguments(nullptr);
        }
      }
    }
    Next();
  }

  absl::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<MessagePattern> messages_;
};

}  // namespace

std::vector<MessagePattern> MessagesIn(absl::string_view source) { return Scanner(source).Run(); }

bool Fits(const MessagePattern& pattern, absl::string_view line) {
  size_t at = 0;
  for (const std::string& piece : pattern.pieces) {
    at = line.find(piece, at);
    if (at == absl::string_view::npos) return false;
    at += piece.size();
  }
  return true;
}

}  // namespace tessera::codegen
