// Shows what an artifact holds, or what the operations of a network compute.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/page.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/finding.h"
#include "targets/target.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/inspect_nests.h"
#include "tools/inspect_scopes.h"
#include "tools/proving/beside.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "inspect";

// For people, joined by `or`.
std::string Titles() {
  std::vector<std::string> titles;
  for (const targets::Target* target : targets::All()) titles.emplace_back(target->title());
  return absl::StrJoin(titles, " or ");
}

// Likewise, with the dot.
std::string Suffixes() {
  std::vector<std::string> suffixes;
  for (const std::string& name : targets::Suffixes()) suffixes.push_back(absl::StrCat(".", name));
  return absl::StrJoin(suffixes, " or ");
}

void Print(const std::vector<targets::Part>& parts) {
  for (const targets::Part& part : parts) {
    std::cout << part.text;
    if (!part.table.empty()) std::cout << cli::Table(part.table);
  }
}

absl::Status WritePage(const targets::Artifact& artifact, const std::string& path,
                       const std::string& html) {
  report::Page page = artifact.Report();
  page.title = path.substr(path.find_last_of('/') + 1);
  return support::WriteFile(html, report::ToHtml(page));
}

int NotRun(const cli::CommandLine& line, const targets::OpenedArtifact& opened,
           const std::string& runtime) {
  for (const targets::Flag& flag : opened.target->flags()) {
    if (flag.name != targets::kRuntimeFlag) continue;
    if (const std::string wrong = cli::NotOneOf("--runtime", runtime, flag.choices); !wrong.empty())
      return line.WrongUsage(wrong);
  }
  const absl::StatusOr<std::vector<std::string>> lines = opened.artifact->NotRunBy(runtime);
  if (!lines.ok()) return cli::Report(kProgram, lines.status());
  for (const std::string& reason : *lines) std::cout << reason << "\n";
  if (lines->empty()) std::cout << "nothing is known that would not run in " << runtime << "\n";
  return lines->empty() ? cli::kDone : cli::kBadInput;
}

int Main(int argc, char** argv) {
  std::string path, html, runtime;
  bool tensors = false, operators = false, json = false, verify = false, nest = false,
       scopes = false;
  cli::ImportFlags import_flags;
  const std::string file = absl::StrCat("model.", targets::Suffixes()[0]);
  cli::CommandLine line(kProgram, absl::StrCat("Shows what a ", Titles(),
                                               " file holds, or what the operations of a network "
                                               "compute."));
  line.Positional("FILE",
                  absl::StrCat("a ", Suffixes(), " file; with `--nest` ", cli::kModelFile,
                               ", with `--scopes` an ONNX file"),
                  &path)
      .Switch("operators", "lists every operator with its options", &operators)
      .Switch("tensors", "lists every tensor", &tensors)
      .Switch("json", "everything, as JSON", &json)
      .Value(
          "runtime", "NAME",
          "lists instead what that runtime of others, or with `any` one of them, would not run of "
          "the file, and why; exit code 1 if there is anything",
          &runtime)
      .Switch(
          "verify",
          absl::StrCat("checks the file by the rules of ", Titles(),
                       "'s readers, and whether the certificate beside it is its own; exit code 1 "
                       "if not"),
          &verify)
      .Value(
          "html", "FILE",
          "writes a page about the artifact, with tables and pictures, that needs no other file; "
          "goes with `--verify` alone",
          &html)
      .Switch("nest",
              "prints for each operation of a network the loop nests that it computes, with "
              "sizes as symbols, and their cost; takes no other switch",
              &nest)
      .Switch("scopes",
              "lists the addresses of an ONNX network's operations, and what quantization may do "
              "there; takes no other switch",
              &scopes);
  import_flags.Declare(line);
  line.Example(file)
      .Example(absl::StrCat(file, " --operators --tensors"))
      .Example(absl::StrCat(file, " --verify"))
      .Example(absl::StrCat(file, " --runtime=any"))
      .Example(absl::StrCat(file, " --html report.html"))
      .Example("model.onnx --nest")
      .Example("model.onnx --scopes");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (!runtime.empty() && (nest || tensors || operators || json || verify || !html.empty()))
    return line.WrongUsage("`--runtime` takes no other switch");
  if (nest && (tensors || operators || json || verify || !html.empty()))
    return line.WrongUsage("`--nest` is about a network and takes no other switch");
  if (scopes && (tensors || operators || json || verify || nest || !html.empty()))
    return line.WrongUsage("`--scopes` is about an ONNX file and takes no other switch");
  if (const std::vector<std::string> flags = import_flags.Given();
      !nest && !scopes && !flags.empty())
    return line.WrongUsage(absl::StrCat("`", flags[0], "` goes with `--nest` or `--scopes`"));
  if (!html.empty() && (tensors || operators || json))
    return line.WrongUsage("`--html` writes everything and prints nothing");
  cli::EnterInvokingFolder();
  if (!html.empty()) {
    cli::FileRoles roles;
    absl::Status status = roles.Reads("the artifact", path);
    if (status.ok())
      status = roles.Reads("the artifact's certificate",
                           absl::StrCat(path, proving::kCertificateSuffix));
    if (status.ok()) status = roles.Writes("the page", html);
    if (!status.ok()) return line.WrongUsage(std::string(status.message()));
  }
  if (nest || scopes) {
    onnx_import::ImportOptions options;
    if (const std::optional<int> code = import_flags.Resolve(line, kProgram, options)) return *code;
    const absl::StatusOr<std::string> text =
        nest ? NestText(path, options) : ScopesText(path, options);
    if (!text.ok()) return cli::Report(kProgram, text.status());
    std::cout << *text;
    return cli::kDone;
  }
  const absl::StatusOr<targets::OpenedArtifact> opened = targets::OpenFile(path);
  if (!opened.ok()) return cli::Report(kProgram, opened.status());
  const targets::Artifact& artifact = *opened->artifact;
  if (!runtime.empty()) return NotRun(line, *opened, runtime);
  const absl::StatusOr<std::string> certificate = proving::CertificateBeside(path);
  if (!html.empty()) {
    const absl::Status written = WritePage(artifact, path, html);
    if (!written.ok()) return cli::Report(kProgram, written);
  } else if (json) {
    std::cout << artifact.Json() << "\n";
  } else {
    Print(artifact.Describe({operators, tensors}));
    if (certificate.ok() && !certificate->empty())
      std::cout << "\n`" << *certificate << "` was made for it\n";
  }
  if (!certificate.ok() && !verify)
    std::cerr << "warning: " << certificate.status().message() << "\n";
  if (!verify) return cli::kDone;
  const std::vector<targets::Finding> findings = artifact.Check();
  for (const targets::Finding& finding : findings)
    std::cerr << (finding.is_error ? "error: " : "warning: ") << finding.text << "\n";
  absl::Status status = targets::ErrorsOf(findings);
  if (status.ok()) status = certificate.status();
  if (status.ok()) std::cerr << "verified: " << findings.size() << " warnings\n";
  return status.ok() ? cli::kDone : cli::Report(kProgram, status);
}

}  // namespace

namespace tools {

int Inspect(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
