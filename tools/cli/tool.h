// What surrounds a tool's main function.
#ifndef TESSERA_TOOLS_CLI_TOOL_H_
#define TESSERA_TOOLS_CLI_TOOL_H_

namespace tessera::cli {

// Calls `tool` and returns its exit code, and sees to it that
// - what it writes to std::cout and std::cerr is printable (support/printable.h);
// - output that could not be written is an exit code, and not lost in silence;
// - when it is interrupted (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU), no temporary file
//   stays, and the process ends by that signal;
// - a file that grows beyond what the system lets it (SIGXFSZ) is an error of who writes it;
// - a file that shrinks while it is mapped is one of who reads it (support/mapped_pages.h).
int RunTool(const char* program, int (*tool)(int argc, char** argv), int argc, char** argv);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_TOOL_H_
