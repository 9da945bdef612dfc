#include "fuzz/targets/archive_mutation.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "frontends/pt2/archive_writer.h"
#include "fuzz/targets/mutation.h"

namespace tessera::fuzz {
namespace {

using pt2_import::WrittenEntry;

// What a pickle would call, if anybody did.
constexpr char kCall[] = "cos\nsystem\n(X\x04\x00\x00\x00true\x85R";

size_t PlaceIn(const std::string& bytes, testing::Random& random) {
  return static_cast<size_t>(random.Below(static_cast<int64_t>(bytes.size()) + 1));
}

std::string OtherContents(const WrittenEntry& entry, const std::vector<std::string>& words,
                          testing::Random& random) {
  if (absl::StartsWith(entry.bytes, "PK\x03\x04"))
    return WithOtherEntries(entry.bytes, words, random);
  if (absl::EndsWith(entry.name, ".json")) return WithOtherTokens(entry.bytes, words, random);
  std::string bytes = entry.bytes;
  if (absl::EndsWith(entry.name, ".pkl") && random.OneIn(4))
    return bytes.insert(PlaceIn(bytes, random), kCall, sizeof kCall - 1);
  if (random.OneIn(4)) return bytes.substr(0, PlaceIn(bytes, random));
  return WithOtherBytes(bytes, random);
}

uint32_t OtherNumber(testing::Random& random) {
  return random.Of(std::vector<uint32_t>{0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
                                         static_cast<uint32_t>(random.Below(1 << 16))});
}

}  // namespace

std::string WithOtherEntries(const std::string& archive, const std::vector<std::string>& words,
                             testing::Random& random) {
  std::optional<std::vector<WrittenEntry>> entries = pt2_import::ReadEntries(archive);
  if (!entries) return WithOtherBytes(archive, random);
  const auto any = [&]() -> WrittenEntry& {
    return (*entries)[static_cast<size_t>(random.Below(static_cast<int64_t>(entries->size())))];
  };
  WrittenEntry& entry = any();
  switch (random.Below(12)) {
    case 0:
      entry.name = random.Of(std::vector<std::string>{"../" + entry.name, "/" + entry.name, "",
                                                      any().name, std::string(70000, 'n')});
      entry.name.resize(entry.name.size() % 65536);
      break;
    case 1:
      entry.method = 8;
      break;
    case 2:
      entry.flags = 1;
      break;
    case 3:
      (random.OneIn(2) ? entry.stored : entry.size) = OtherNumber(random);
      break;
    case 4:
      entry.at = OtherNumber(random);
      break;
    case 5:
      entry.bytes = any().bytes;
      break;
    case 6:
      entry = WrittenEntry(entries->back());
      entries->pop_back();
      break;
    default: {
      // The program is one entry among many.
      WrittenEntry* changed = &entry;
      for (WrittenEntry& other : *entries) {
        if (absl::EndsWith(other.name, "model.json") && random.OneIn(2)) changed = &other;
      }
      changed->bytes = OtherContents(*changed, words, random);
    }
  }
  return pt2_import::WriteArchive(*entries);
}

}  // namespace tessera::fuzz
