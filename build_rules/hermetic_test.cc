// What a compile action, a test and a genrule must not see.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

// Packages of @debian that this test does not depend on.
#if __has_include("absl/strings/str_cat.h") || __has_include("z3.h") || \
                                                             __has_include("yaml-cpp/yaml.h")
#error "a header of a package that is no dependency was found"
#endif

// Packages that Bazel or a developer brings onto the machine.
#if __has_include("zlib.h") ||                              \
                  __has_include(                            \
                      "Python.h") ||                        \
                      __has_include(                        \
                          "grpc/grpc.h") ||                 \
                          __has_include("openssl/ssl.h") || \
                                        __has_include("bazel/src/main/cpp/util/errors.h")
#error "a header of the machine was found"
#endif

namespace {

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The names of the network interfaces in the text of /proc/net/dev.
std::vector<std::string> Interfaces(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t start = line.find_first_not_of(' ');
    names.push_back(line.substr(start, colon - start));
  }
  return names;
}

TEST(Hermetic, TestHasNoNetwork) {
  EXPECT_EQ(Interfaces(Lines("/proc/net/dev")), std::vector<std::string>{"lo"});
}

// Bazel puts the working directory in front.
TEST(Hermetic, TestHasTheFixedPath) { EXPECT_STREQ(std::getenv("PATH"), ".:/usr/bin:/bin"); }

TEST(Hermetic, GenruleHasNoNetwork) {
  EXPECT_EQ(Interfaces(Lines("build_rules/action_network.txt")), std::vector<std::string>{"lo"});
}

TEST(Hermetic, GenruleHasTheFixedPath) {
  EXPECT_EQ(Lines("build_rules/action_path.txt"), std::vector<std::string>{"/usr/bin:/bin"});
}

}  // namespace
