// A plan of memory as a picture: steps from left to right, addresses from below to the top, each
// buffer the rectangle of bytes that it holds while it is in use.
#ifndef TESSERA_REPORT_MEMORY_PICTURE_H_
#define TESSERA_REPORT_MEMORY_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::report {

struct Buffer {
  std::string name;                       // of any text
  int64_t first_step = 0, last_step = 0;  // in use from the one to the other, both included
  int64_t offset = 0, size = 0;           // bytes
};

struct MemoryPicture {
  std::string title;
  int64_t steps = 0;  // of a run: operations, dispatches
  int64_t bytes = 0;  // of the memory
  std::vector<Buffer> buffers;
};

// An `svg` element. What lies outside of steps or bytes is cut off. Who points at a buffer sees its
// name, bytes and steps.
std::string MemorySvg(const MemoryPicture& picture);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_MEMORY_PICTURE_H_
