// SHA-256 on a thread of its own, beside what else is done with the bytes.
#ifndef TESSERA_SUPPORT_SHA256_BESIDE_H_
#define TESSERA_SUPPORT_SHA256_BESIDE_H_

#include <memory>
#include <string>
#include <string_view>

namespace tessera::support {

class Sha256Beside {
 public:
  Sha256Beside();
  ~Sha256Beside();  // what was not asked for is dropped
  Sha256Beside(const Sha256Beside&) = delete;

  // The next bytes, which are copied; waits where the thread is far behind.
  void Add(std::string_view bytes);
  // Of all bytes, as Sha256 has it. Once.
  std::string Finish();

 private:
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_SHA256_BESIDE_H_
