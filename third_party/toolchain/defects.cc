// Has the defect that it is asked for, so that what looks for such can be seen to find it.
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// Elements behind what was allocated.
int Outside(size_t size) {
  std::vector<int> elements(size);
  const int* data = elements.data();
  return data[size];
}

int Overflow(int by) { return std::numeric_limits<int>::max() + by; }

// Two threads write one place.
int Race() {
  int shared = 0;
  std::thread other([&] { ++shared; });
  ++shared;
  other.join();
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view asked = argc > 1 ? argv[1] : "";
  int result = 0;
  if (asked == "outside") result = Outside(static_cast<size_t>(argc));
  if (asked == "overflow") result = Overflow(argc);
  if (asked == "race") result = Race();
#ifdef NDEBUG
  const std::string_view asserts = "off";
#else
  const std::string_view asserts = "on";
#endif
  std::cout << "assertions " << asserts << ", result " << (result != 0) << std::endl;
  return 0;
}
