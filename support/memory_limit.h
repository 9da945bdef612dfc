// A bound on the memory that the process takes, and what is said where it is met.
#ifndef TESSERA_SUPPORT_MEMORY_LIMIT_H_
#define TESSERA_SUPPORT_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::support {

struct MemoryLimit {
  int64_t bytes = int64_t{4} << 30;
  // For each byte of a file that is mapped from now on, the limit grows by so many.
  int64_t per_mapped_byte = 4;
};

// From now on heap, stacks and anonymous maps of the process stay below the limit (setrlimit(2),
// RLIMIT_DATA; files that are mapped to be read do not count). Who asks for more than there is and
// can say so (Tensor::Allocate) returns an error. Who cannot (`new`) ends the process: a line on
// stderr names `program`, the limit and what was being done, temporary files go, and the exit code
// is `exit_code`. Without effect in programs built with a sanitizer, whose own maps are larger than
// any limit.
void LimitMemory(std::string_view program, MemoryLimit limit, int exit_code);

// A file of so many bytes was mapped.
void RaiseMemoryLimit(int64_t mapped_bytes);

// Ends the process as above, where a limit was set: for who needs memory, finds none and has no
// caller to tell. Returns where there is no limit.
void EndForLackOfMemory();

// The limit as it is now; 0: none.
int64_t MemoryLimitBytes();
// ` (--max-memory is N MiB)`, for messages; empty where there is no limit.
std::string MemoryLimitText();

// What the thread is doing as long as this lives, for that line: `operation`, `Concat`. Innermost
// last. Both must outlive it.
class Doing {
 public:
  Doing(const char* kind, std::string_view name);
  ~Doing();
  Doing(const Doing&) = delete;

 private:
  friend void EndForLackOfMemory();
  const char* const kind_;
  const std::string_view name_;
  const Doing* const outer_;
};

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_MEMORY_LIMIT_H_
