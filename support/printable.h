// Text of unknown origin on its way to a terminal. What a file says, be it a name or a message,
// must not move the cursor, change colours, retitle the window, or reorder what stands beside it.
#ifndef TESSERA_SUPPORT_PRINTABLE_H_
#define TESSERA_SUPPORT_PRINTABLE_H_

#include <streambuf>
#include <string>
#include <string_view>

namespace tessera::support {

// `text` on one line: `\n`, `\t`, and `\xNN` for each byte of what is not UTF-8, a control
// character (C0, DEL, C1, the separators of lines and paragraphs), or one that changes the
// direction of text.
std::string Printable(std::string_view text);

// Whether it is a byte of a UTF-8 sequence, but not the first.
bool IsContinuation(char c);

// Passes on what is written to it as `Printable` has it, except that newlines and tabs stay: who
// writes lines is the program.
class PrintableBuffer : public std::streambuf {
 public:
  // `sink` must outlive this.
  explicit PrintableBuffer(std::streambuf* sink) : sink_(sink) {}

  // Of the first write that failed; 0: none did, or the system did not say why.
  int error() const { return error_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  bool Send(std::string_view text);
  bool Noting(bool done);

  std::streambuf* sink_;
  int error_ = 0;
  std::string begun_;  // of a UTF-8 sequence whose end is still to come
};

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_PRINTABLE_H_
