// Source text of definition files and diagnostics that point into it.
#ifndef TESSERA_CODEGEN_SOURCE_H_
#define TESSERA_CODEGEN_SOURCE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::codegen {

struct Source;

struct Place {
  const Source* source = nullptr;
  size_t offset = 0;
};

struct Source {
  std::string path;
  std::string text;
  // Of a text that no file has: which text of files begins where in it.
  struct Part {
    size_t offset;
    Place origin;
  };
  std::vector<Part> parts = {};
  std::string reader = {};  // who reads it in this form, for messages
};

// Where in a file a place is.
Place OriginOf(Place place);
// In its file, from 1.
int LineOf(Place place);
int ColumnOf(Place place);

// Collects `file:line:column: error: message`, the line and a caret.
class Diagnostics {
 public:
  void Error(Place place, absl::string_view message);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  // The first message from `from` on, empty if there is none; forgets those.
  std::string TakeFrom(size_t from);
  // By file and place.
  std::string Render() const;

 private:
  struct Entry {
    std::string path;
    size_t offset;
    std::string text;
    std::string message;
  };
  std::vector<Entry> entries_;
};

// ` (did you mean `X`?)` for the nearest of `known`, or the list of what was possible when it is
// short; empty otherwise.
std::string Suggestion(absl::string_view name, const std::vector<std::string>& known);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SOURCE_H_
