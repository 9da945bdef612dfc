// An algorithm's part of a configuration, whatever language that is written in.
#ifndef TESSERA_PASSES_COMPRESSION_SECTION_H_
#define TESSERA_PASSES_COMPRESSION_SECTION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tessera::compression {

// A key that an algorithm knows. Nested mappings are names with dots: `weights.bits`.
struct Key {
  enum class Kind : uint8_t { kFlag, kNumber, kCount, kText, kNames };
  std::string_view name;
  Kind kind;
  std::string_view default_text;  // as the configuration would say it; empty: none, or no names
  std::string_view doc;
  std::string_view choices = "";  // of kText: `a|b|c`; empty: anything
  double low = 0, high = 0;       // of kNumber and kCount: within; both 0: anything
};

class Section {
 public:
  struct Entry {
    std::vector<std::string> texts;  // one, or of kNames any number
    std::string place;               // `FILE:LINE:COLUMN`
  };

  // `keys` must outlive this.
  explicit Section(absl::Span<const Key> keys, std::string place)
      : keys_(keys), place_(std::move(place)) {}

  // Checks kind, choices and range. Errors begin with the place.
  absl::Status Set(std::string_view key, Entry entry);

  // In place of what was said of a key, unchecked; of one that is no list, one text.
  void Override(std::string_view key, std::vector<std::string> texts);

  // All that was said, without places: sections with the same texts ask for the same.
  std::vector<std::string> Texts() const;

  bool Knows(std::string_view key) const;
  bool Has(std::string_view key) const;  // said, not by default
  // What was said, or the default; aborts for keys that are not among the algorithm's.
  bool Flag(std::string_view key) const;
  double Number(std::string_view key) const;
  std::string Text(std::string_view key) const;
  std::vector<std::string> Names(std::string_view key) const;
  // `FILE:LINE:COLUMN: TEXT`.
  absl::Status Error(std::string_view key, std::string_view text) const;

 private:
  const Key& Known(std::string_view key) const;

  absl::Span<const Key> keys_;
  std::string place_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SECTION_H_
