// Whether the process has one thread only, which libstdc++ asks before it counts references
// (<ext/atomicity.h>). The C library's own answer is data that only programs reach directly, so
// here is one for the module: no, for Python may start threads at any time.
extern "C" {
char __libc_single_threaded = 0;
}
