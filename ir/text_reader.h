// The tokens of the text form. The first error sticks, with its place; after it everything fails.
#ifndef TESSERA_IR_TEXT_READER_H_
#define TESSERA_IR_TEXT_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tessera::ir {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool ok() const { return error_.empty(); }
  // `line N: MESSAGE`, the line, a caret.
  absl::Status status() const;
  // At the last token, or at `place`.
  void Fail(std::string message) { FailAt(token_, std::move(message)); }
  void FailAt(size_t place, std::string message);
  size_t place();  // of the next token

  bool AtEnd();
  bool Accept(std::string_view punctuation);
  bool Expect(std::string_view punctuation);
  // Letters, digits, `_`; empty where there is none.
  std::string_view PeekName();
  bool AcceptName(std::string_view name);
  std::string_view ExpectName(std::string_view what);
  std::optional<std::string> AcceptQuoted();
  std::string ExpectQuoted(std::string_view what);
  std::optional<int64_t> AcceptInteger();
  int64_t ExpectInteger();
  // Up to white space, or `,` `]` `}`.
  std::string_view Word();
  // Up to a `,` `]` or `}` outside brackets and backticks.
  std::string_view Element();
  std::string_view RestOfLine();

 private:
  void Skip();

  std::string_view text_;
  size_t at_ = 0;
  size_t token_ = 0;  // where the last token began
  size_t error_at_ = 0;
  std::string error_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_TEXT_READER_H_
