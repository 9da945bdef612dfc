#include "support/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>

#include "support/sanitizers.h"
#include "support/temporary_file.h"

namespace tessera::support {
namespace {

// Static, since it is read where nothing can be allocated any more.
std::array<char, 64> program_name;
std::atomic<int64_t> limit_bytes{0};  // 0: none
std::atomic<int64_t> per_mapped_byte{0};
std::atomic<int> exit_code_then{1};
std::mutex changing;

thread_local const Doing* innermost = nullptr;

void Apply(int64_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // What the system allows is less: so be it.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes));
  if (setrlimit(RLIMIT_DATA, &limit) == 0) limit_bytes = static_cast<int64_t>(limit.rlim_cur);
}

void OnTerminate() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      EndForLackOfMemory();
    } catch (...) {
    }
  }
  std::abort();
}

void Put(std::string_view text) {
  // Names come from files.
  char printable[256];
  size_t size = 0;
  for (const char c : text) {
    if (size == sizeof(printable)) break;
    printable[size++] = c >= 0 && c < ' ' ? '?' : c;
  }
  if (write(STDERR_FILENO, printable, size) < 0) return;
}

}  // namespace

void LimitMemory(std::string_view program, MemoryLimit limit, int exit_code) {
  if (kHeapOfSanitizer) return;
  const std::lock_guard<std::mutex> lock(changing);
  program_name.fill(0);
  program.copy(program_name.data(), program_name.size() - 1);
  per_mapped_byte = limit.per_mapped_byte;
  exit_code_then = exit_code;
  Apply(limit.bytes);
  std::set_new_handler(EndForLackOfMemory);
  std::set_terminate(OnTerminate);
}

void RaiseMemoryLimit(int64_t mapped_bytes) {
  if (limit_bytes == 0 || per_mapped_byte == 0) return;
  const std::lock_guard<std::mutex> lock(changing);
  constexpr int64_t kMost = int64_t{1} << 60;
  if (mapped_bytes < kMost / per_mapped_byte - limit_bytes)
    Apply(limit_bytes + per_mapped_byte * mapped_bytes);
}

void EndForLackOfMemory() {
  const int64_t bytes = limit_bytes;
  if (bytes == 0) {
    std::set_new_handler(nullptr);  // `new` throws then
    return;
  }
  RemoveTemporaryFiles();
  Put(program_name.data());
  char number[96];
  std::snprintf(number, sizeof(number), ": out of memory: --max-memory is %.6g MiB",
                static_cast<double>(bytes) / (1 << 20));
  Put(number);
  std::array<const Doing*, 8> stack;
  size_t depth = 0;
  for (const Doing* doing = innermost; doing != nullptr && depth < stack.size();
       doing = doing->outer_)
    stack[depth++] = doing;
  for (size_t i = depth; i-- > 0;) {
    Put(i + 1 == depth ? "; in " : ", ");
    Put(stack[i]->kind_);
    Put(" `");
    Put(stack[i]->name_);
    Put("`");
  }
  Put("\n");
  _exit(exit_code_then);
}

int64_t MemoryLimitBytes() { return limit_bytes; }

std::string MemoryLimitText() {
  const int64_t bytes = limit_bytes;
  if (bytes == 0) return "";
  char text[96];
  std::snprintf(text, sizeof(text), " (--max-memory is %.6g MiB)",
                static_cast<double>(bytes) / (1 << 20));
  return text;
}

Doing::Doing(const char* kind, std::string_view name)
    : kind_(kind), name_(name), outer_(innermost) {
  innermost = this;
}

Doing::~Doing() { innermost = outer_; }

}  // namespace tessera::support
