// Large pages for the heap. A graph of 100,000 operations is walked over and over by its pointers,
// and on pages of 4 KiB finding the pages takes as long as all else together (in a virtual machine
// more). The C library can ask for larger ones itself, but only by its environment
// (glibc.malloc.hugetlb), which is set before a program runs.
#ifndef TESSERA_SUPPORT_HEAP_PAGES_H_
#define TESSERA_SUPPORT_HEAP_PAGES_H_

#include <cstdint>

namespace tessera::support {

// Puts the next `bytes` of the heap on large pages (madvise(2), MADV_HUGEPAGE) where the system has
// them. They are address space until they are used, which RLIMIT_DATA counts. What is freed at the
// end of the heap stays there to be used again. Without effect in programs built with a sanitizer,
// whose heap is another, or where the C library is not glibc. To be called once, before there are
// threads.
void UseLargePages(int64_t bytes);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_HEAP_PAGES_H_
