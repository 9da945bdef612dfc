// The tools, each of which is a program (tools/tool.bzl) and a command of `tessera`.
#ifndef TESSERA_TOOLS_TOOLS_H_
#define TESSERA_TOOLS_TOOLS_H_

namespace tessera::tools {

// Like `main`: argv[0] is not looked at.
int Compile(int argc, char** argv);
int Run(int argc, char** argv);
int Verify(int argc, char** argv);
int Inspect(int argc, char** argv);
int Prove(int argc, char** argv);
int Compress(int argc, char** argv);
int Bench(int argc, char** argv);
int Tune(int argc, char** argv);
int Config(int argc, char** argv);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TOOLS_H_
