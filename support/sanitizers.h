// Whether this is built with a sanitizer whose heap and maps are its own. GCC says so by macros,
// clang when it is asked. GCC first: a header of its sanitizers defines `__has_feature` too, as 0.
#ifndef TESSERA_SUPPORT_SANITIZERS_H_
#define TESSERA_SUPPORT_SANITIZERS_H_

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TESSERA_OWN_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_OWN_HEAP 1
#endif
#endif

namespace tessera::support {

#if defined(TESSERA_OWN_HEAP)
inline constexpr bool kHeapOfSanitizer = true;
#else
inline constexpr bool kHeapOfSanitizer = false;
#endif

}  // namespace tessera::support

#undef TESSERA_OWN_HEAP

#endif  // TESSERA_SUPPORT_SANITIZERS_H_
