// Which pages of the process are those of mapped files.
#ifndef TESSERA_SUPPORT_MAPPED_PAGES_H_
#define TESSERA_SUPPORT_MAPPED_PAGES_H_

#include <cstddef>
#include <memory>
#include <string_view>

namespace tessera::support {

// The mapped bytes, which are unmapped with the last copy. Nobody may write to them.
std::shared_ptr<const void> OwnMapping(void* start, size_t size);

// The pages that lie wholly in `bytes` leave the process, if it is a file that they are of: whoever
// touches them reads them anew. Bytes of anything else stay as they are.
void ForgetPages(std::string_view bytes) noexcept;

// For a handler of SIGBUS. Where `address` is in the map of a file that has shrunk, zeros take the
// place of what is gone, and the instruction can run again: true.
bool ReplaceLostPages(const void* address) noexcept;

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_MAPPED_PAGES_H_
