// language_golden check|update TARGET.op FILE... : the op language's own tests.
//
// A `pass/*.op` is a definition without faults. A `fail/*.op` ends in what is said of it, as
// comments: line, column, message, the line and a caret. Among FILE... are also the sources of the
// language; each message that they can give must be said of some `fail/*.op`. TARGET.op is a
// target's op set, for lowerings.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "codegen/check.h"
#include "codegen/message_scan.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

constexpr absl::string_view kExpected = "// expected:\n";

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// What is wrong with `text`, beside the target's op set.
std::string Diagnose(const std::string& path, const std::string& text, const std::string& target) {
  Diagnostics diagnostics;
  Program program;
  program.Load({target}, diagnostics);
  program.Add({Source{path, text}}, diagnostics);
  if (diagnostics.empty()) CheckAll(program, {program.FileOf(path)}, diagnostics);
  return diagnostics.Render();
}

// As comments, without the file's name.
std::string AsExpectation(const std::string& path, const std::string& rendered) {
  std::string text(kExpected);
  for (absl::string_view line : absl::StrSplit(rendered, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    absl::StrAppend(&text, "// ",
                    absl::StrReplaceAll(line, {{path + ":", ""}, {": error: ", ": "}}), "\n");
  }
  return text;
}

class Suite {
 public:
  Suite(bool update, std::string target) : update_(update), target_(std::move(target)) {}

  void Pass(const std::string& path) {
    ++files_;
    const std::string rendered = Diagnose(path, Read(path), target_);
    if (!rendered.empty()) Wrong(path, rendered);
  }

  void Fail(const std::string& path) {
    ++files_;
    const std::string text = Read(path);
    const size_t at = text.find(std::string(kExpected));
    // Where the file ends is part of what is said.
    const std::string rendered = Diagnose(path, text.substr(0, at), target_);
    if (rendered.empty()) return Wrong(path, "nothing is wrong with it");
    const std::string found = AsExpectation(path, rendered);
    absl::StrAppend(&said_, found);
    if (update_) {
      std::ofstream(path, std::ios::binary) << text.substr(0, at) << found;
    } else if (at == std::string::npos || text.substr(at) != found) {
      Wrong(path, absl::StrCat("expected other diagnostics than\n", found));
    }
  }

  // Every message that `source` can give is among what was said.
  void Cover(const std::string& path) {
    for (const MessagePattern& pattern : MessagesIn(Read(path))) {
      ++messages_;
      bool found = false;
      for (absl::string_view line : absl::StrSplit(said_, '\n'))
        found = found || Fits(pattern, line);
      if (!found) {
        Wrong(absl::StrCat(path, ":", pattern.line),
              absl::StrCat("no `fail/*.op` is told `", absl::StrJoin(pattern.pieces, "..."), "`"));
      }
    }
  }

  void Missing() {
    Diagnostics diagnostics;
    Program().Load({"no_such_file.op"}, diagnostics);
    absl::StrAppend(&said_, diagnostics.Render());
  }

  int Finish() const {
    std::cerr << files_ << " definitions, " << messages_ << " messages, " << wrong_ << " wrong\n";
    if (wrong_ > 0) std::cerr << "this rewrites what is expected: bazel run //testing:update\n";
    // An update is not given the sources whose messages a check covers.
    return wrong_ > 0 || files_ == 0 || (!update_ && messages_ == 0) ? 1 : 0;
  }

 private:
  void Wrong(const std::string& path, const std::string& text) {
    ++wrong_;
    std::cerr << path << ": " << text << "\n";
  }

  const bool update_;
  const std::string target_;
  std::string said_;
  int files_ = 0, messages_ = 0, wrong_ = 0;
};

int Main(const std::vector<std::string>& args) {
  if (args.size() < 3 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: language_golden check|update TARGET.op FILE...\n";
    return 2;
  }
  const bool update = args[0] == "update";
  const char* const workspace = update ? std::getenv("BUILD_WORKSPACE_DIRECTORY") : nullptr;
  const std::string root = workspace == nullptr ? "" : absl::StrCat(workspace, "/");
  Suite suite(update, root + args[1]);
  for (size_t i = 2; i < args.size(); ++i) {
    if (absl::StrContains(args[i], "/pass/")) suite.Pass(root + args[i]);
    if (absl::StrContains(args[i], "/fail/")) suite.Fail(root + args[i]);
  }
  suite.Missing();
  for (size_t i = 2; i < args.size(); ++i) {
    if (absl::EndsWith(args[i], ".cc")) suite.Cover(root + args[i]);
  }
  return suite.Finish();
}

}  // namespace
}  // namespace tessera::codegen

int main(int argc, char** argv) { return tessera::codegen::Main({argv + 1, argv + argc}); }
