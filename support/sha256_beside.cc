#include "support/sha256_beside.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "support/sha256.h"

namespace tessera::support {

// A ring of buffers: those from `read` on are full, as many as `full`.
struct Sha256Beside::Queue {
  static constexpr size_t kBuffer = size_t{1} << 18, kBuffers = 8;

  std::mutex mutex;
  std::condition_variable changed;
  std::array<std::vector<char>, kBuffers> buffers;
  size_t read = 0, full = 0;
  bool ended = false;
  std::string digest;
  std::thread thread;

  void End() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ended = true;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }
};

Sha256Beside::Sha256Beside() : queue_(std::make_unique<Queue>()) {
  queue_->thread = std::thread([&queue = *queue_] {
    Sha256Stream stream;
    for (;;) {
      std::unique_lock<std::mutex> lock(queue.mutex);
      queue.changed.wait(lock, [&] { return queue.full > 0 || queue.ended; });
      if (queue.full == 0) break;
      const std::vector<char>& buffer = queue.buffers[queue.read];
      lock.unlock();
      stream.Add({buffer.data(), buffer.size()});
      lock.lock();
      queue.read = (queue.read + 1) % Queue::kBuffers;
      --queue.full;
      lock.unlock();
      queue.changed.notify_all();
    }
    queue.digest = stream.Finish();
  });
}

Sha256Beside::~Sha256Beside() { queue_->End(); }

void Sha256Beside::Add(std::string_view bytes) {
  for (size_t begin = 0; begin < bytes.size(); begin += Queue::kBuffer) {
    const std::string_view part = bytes.substr(begin, Queue::kBuffer);
    std::unique_lock<std::mutex> lock(queue_->mutex);
    queue_->changed.wait(lock, [&] { return queue_->full < Queue::kBuffers; });
    std::vector<char>& buffer = queue_->buffers[(queue_->read + queue_->full) % Queue::kBuffers];
    lock.unlock();  // nobody else fills
    buffer.assign(part.begin(), part.end());
    lock.lock();
    ++queue_->full;
    lock.unlock();
    queue_->changed.notify_all();
  }
}

std::string Sha256Beside::Finish() {
  queue_->End();
  return queue_->digest;
}

}  // namespace tessera::support
