// A fuzz target as libFuzzer calls it (https://llvm.org/docs/LibFuzzer.html).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/targets/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string wrong = tessera::fuzz::Try({reinterpret_cast<const char*>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}

// Writes the seeds that the target makes into a folder of this run, which becomes one of its
// corpora.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::vector<std::string> seeds = tessera::fuzz::Seeds({});
  if (seeds.empty()) return 0;
  std::string folder = (std::filesystem::temp_directory_path() / "seeds-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 0;
  for (size_t i = 0; i < seeds.size(); ++i)
    std::ofstream(folder + "/" + std::to_string(i), std::ios::binary) << seeds[i];
  static auto* const folder_of_seeds = new std::string(folder);
  static auto* const args = new std::vector<char*>(*argv, *argv + *argc);
  // The first folder is where libFuzzer puts what it finds worth keeping: another than ours.
  args->push_back(folder_of_seeds->data());
  args->push_back(nullptr);
  *argc += 1;
  *argv = args->data();
  return 0;
}

// Its own mutations, which know the dictionary and what was compared, take turns with ours.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  tessera::testing::Random random(seed);
  if (random.OneIn(2)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string changed =
      tessera::fuzz::Mutated({reinterpret_cast<const char*>(data), size}, {}, random);
  const size_t taken = std::min(changed.size(), max_size);
  std::memcpy(data, changed.data(), taken);
  return taken;
}
