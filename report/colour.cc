#include "report/colour.h"

#include <cstdint>

namespace tessera::report {

int HueOf(std::string_view name) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<int>((hash >> 8) % 360);
}

}  // namespace tessera::report
