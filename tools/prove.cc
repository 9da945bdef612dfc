// Proves, refutes or certifies what a network requires of its shapes; checks certificates.
#include "solver/prove.h"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "solver/assignment.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "solver/statements.h"
#include "support/file.h"
#include "support/file_set.h"
#include "support/mapped_file.h"
#include "targets/all/all.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/tool.h"
#include "tools/proving/check_certificate.h"
#include "tools/proving/prove_model.h"
#include "tools/proving/table.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "prove";

struct Arguments {
  std::string model, statement, statements, check, output, of_model, solver, timeout, proofs;
  bool guards = false, whole = false, allow_evaluated = false;
  cli::ImportFlags import;
};

std::string SizesText(const solver::Assignment& sizes) {
  return sizes.empty() ? "any sizes" : solver::ToText(sizes);
}

// The values of what `claim` compares: ` (8 against 6)`; nothing if it compares nothing.
std::string SidesText(const solver::Syntax& claim, const solver::Assignment& sizes) {
  const auto sides = solver::SidesOf(claim);
  if (!sides) return "";
  const absl::StatusOr<int64_t> left = solver::EvaluateSyntax(sides->first, sizes);
  const absl::StatusOr<int64_t> right = solver::EvaluateSyntax(sides->second, sizes);
  if (!left.ok() || !right.ok()) return "";
  return absl::StrCat(" (", *left, " against ", *right, ")");
}

int ProveStatement(const std::string& text) {
  const absl::StatusOr<solver::Statement> statement = solver::ParseStatement(text);
  if (!statement.ok()) return cli::Report(kProgram, statement.status());
  solver::Prover prover;
  solver::Context context;
  const solver::Verdict verdict = solver::DecideStatement(
      context, *statement,
      [&](solver::Context& c, const solver::Expr& e) { return prover.Prove(c, e); });
  switch (verdict.kind) {
    case solver::Verdict::kProved:
      std::cout << "proved by " << verdict.by << "\n";
      return cli::kDone;
    case solver::Verdict::kRefuted:
      if (verdict.by == "divisor") {
        const absl::StatusOr<int64_t> divisor =
            solver::Evaluate(verdict.residual, verdict.counterexample);
        std::cout << "refuted: divides by `" << verdict.residual.ToString() << "`"
                  << (divisor.ok() ? absl::StrCat(", which is ", *divisor) : "") << " for "
                  << SizesText(verdict.counterexample) << "\n";
        return cli::kBadInput;
      }
      std::cout << "refuted: false for " << SizesText(verdict.counterexample)
                << SidesText(statement->claim, verdict.counterexample) << "\n";
      return cli::kBadInput;
    case solver::Verdict::kUnknown:
      break;
  }
  if (verdict.by == "contradictory-facts") {
    std::cout << "vacuous: no sizes satisfy the facts\n";
  } else if (verdict.by == "no-witness") {
    std::cout << "perhaps vacuous: no sizes were found that satisfy the facts\n";
  } else {
    std::cout << "unknown (" << verdict.by << "): left is " << verdict.residual.ToString() << "\n";
  }
  return cli::kBadInput;
}

int ProveStatements(const std::string& path) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return cli::Report(kProgram, text.status());
  solver::Prover prover;
  const absl::StatusOr<solver::StatementReport> report = solver::DecideStatements(
      *text, [&](solver::Context& c, const solver::Expr& e) { return prover.Prove(c, e); });
  if (!report.ok()) {
    return cli::Report(
        kProgram, absl::InvalidArgumentError(absl::StrCat(path, ": ", report.status().message())));
  }
  for (const solver::StatementOutcome& outcome : report->outcomes) {
    const bool right =
        outcome.kind == (outcome.valid ? solver::Verdict::kProved : solver::Verdict::kRefuted);
    if (right) continue;
    std::cout << outcome.family << "\t" << outcome.name << "\t"
              << (outcome.kind == solver::Verdict::kUnknown
                      ? absl::StrCat("unknown (", outcome.by, "): ", outcome.residual)
                      : absl::StrCat(
                            "wrong: ",
                            outcome.valid ? "valid, but refuted by " : "invalid, but proved by ",
                            outcome.by, " ", SizesText(outcome.counterexample)))
              << "\n";
  }
  std::cout << report->Summary() << "\n";
  return report->proved == report->valid && report->refuted == report->invalid ? cli::kDone
                                                                               : cli::kBadInput;
}

int CheckCertificate(const cli::CommandLine& line, const Arguments& arguments) {
  certificate::CheckOptions options;
  options.model = arguments.of_model;
  options.cvc5 = arguments.solver;
  options.proofs = arguments.proofs;
  constexpr int64_t kMostSeconds = 1000000;
  if (!arguments.timeout.empty() && (!absl::SimpleAtoi(arguments.timeout, &options.seconds) ||
                                     options.seconds < 1 || options.seconds > kMostSeconds)) {
    return line.WrongUsage(absl::StrCat("`--timeout ", arguments.timeout,
                                        "`: wanted is a number of seconds from 1 to ",
                                        kMostSeconds));
  }
  if (!options.proofs.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.proofs, error);
    if (error) {
      return cli::Report(kProgram, absl::InvalidArgumentError(
                                       absl::StrCat(options.proofs, ": ", error.message())));
    }
  }
  const absl::StatusOr<proving::CertificateVerdict> verdict =
      proving::CheckCertificate(arguments.check, options, arguments.allow_evaluated);
  if (!verdict.ok()) return cli::Report(kProgram, verdict.status());
  std::cout << verdict->text;
  switch (verdict->kind) {
    case proving::CertificateVerdict::kAccepted:
      return cli::kDone;
    case proving::CertificateVerdict::kNotProved:
      return cli::kNotProved;
    case proving::CertificateVerdict::kRejected:
      break;
  }
  return cli::kBadInput;
}

int ProveModel(const cli::CommandLine& line, const Arguments& arguments) {
  cli::FileRoles roles;
  absl::Status claimed = roles.Reads("the model", arguments.model);
  if (claimed.ok()) claimed = arguments.import.AddTo(roles);
  if (claimed.ok() && !arguments.output.empty())
    claimed = roles.Writes("the certificate", arguments.output);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  cli::LinkOps();
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, options)) {
    return *code;
  }
  const absl::StatusOr<std::unique_ptr<proving::ProvedModel>> proved =
      proving::ProveModel(arguments.model, options, arguments.guards);
  if (!proved.ok()) return cli::Report(kProgram, proved.status());
  proving::ProvedModel& model = **proved;
  if (const absl::Status status = cli::AddTo(roles, model.import); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  absl::StatusOr<certificate::Certificate> certificate;
  if (!arguments.output.empty()) {
    certificate = proving::CertificateOf(arguments.model, model, arguments.import.Texts());
    if (!certificate.ok()) return cli::Report(kProgram, certificate.status());
  }
  absl::Status status = support::CheckUnchanged(model.import.files);
  if (!status.ok()) return cli::Report(kProgram, status);
  std::cout << proving::LedgerTable(*model.import.graph, model.ledger, model.prover,
                                    arguments.whole)
            << cli::AssumptionLines(model.import, options);

  if (arguments.output.empty()) return cli::kDone;
  support::FileSet files;
  status = files.Add(arguments.output, certificate::WriteCertificate(*certificate));
  if (status.ok()) status = files.Commit();
  if (!status.ok()) return cli::Report(kProgram, status);
  std::cout << "wrote " << arguments.output << "\n";
  return cli::kDone;
}

// An exit code, after a complaint, where a flag is given that does nothing there.
std::optional<int> CheckFlags(const cli::CommandLine& line) {
  const std::set<std::string> modes = {"--statement", "--statements", "--check"};
  const std::set<std::string> of_checks = {"--model", "--allow-evaluated", "--timeout", "--solver",
                                           "--proofs"};
  std::string mode;  // none: of MODEL; the command line sees to it that there is one at most
  for (const std::string& flag : line.given()) {
    if (modes.contains(flag)) mode = flag;
  }
  for (const std::string& flag : line.given()) {
    if (flag == mode) continue;
    if (of_checks.contains(flag) && mode != "--check")
      return line.WrongUsage(absl::StrCat("`", flag, "` goes with `--check`"));
    if (!of_checks.contains(flag) && !mode.empty())
      return line.WrongUsage(absl::StrCat("`", flag, "` goes with MODEL, not with `", mode, "`"));
  }
  return std::nullopt;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line(kProgram,
                        "Proves what a network requires of its shapes for all sizes that its "
                        "inputs admit, or names a size that breaks it.");
  line.Positional("MODEL", cli::kModelFile, &arguments.model)
      .Unless("statement")
      .Unless("statements")
      .Unless("check")
      .Value("statement", "FACTS |- CLAIM", "decides one statement about integers",
             &arguments.statement)
      .Value("statements", "FILE", "decides a file of statements (docs/prover.md)",
             &arguments.statements)
      .Value("check", "CERTIFICATE",
             "checks a certificate again with another solver, and the artifact beside it",
             &arguments.check)
      .Value(
          "model", "FILE",
          "with --check: derives again, from the model and the definitions, what had to be proved",
          &arguments.of_model)
      .Switch("allow-evaluated",
              "with --check: accepts what no solver proved but what held at all sizes that were "
              "tried; without it, that is exit code 3",
              &arguments.allow_evaluated)
      .Value("timeout", "SECONDS",
             "with --check: for all of it; a check that takes longer has failed. Default: 600",
             &arguments.timeout)
      .Value("solver", "FILE",
             "with --check: the program cvc5 to ask; default: the one that this was built with",
             &arguments.solver)
      .Value("proofs", "FOLDER",
             "with --check: writes each query that cvc5 proves, and its proof in the format Alethe",
             &arguments.proofs)
      .Value("output|o", "FILE", "writes a certificate of the model, without an artifact",
             &arguments.output)
      .Switch("guards", "what is undecided is for the artifact to check, and no error",
              &arguments.guards)
      .Switch("whole", "shows statements at full length", &arguments.whole);
  arguments.import.Declare(line);
  line.Exits(cli::kNotProved, "with --check: not all of it is proved, and nothing is wrong");
  line.Example("model.onnx --dim H%8=0 --dim W=1..4096")
      .Example("model.onnx --dim auto")
      .Example("--statement 'W >= 1 |- mod(W + mod(16 - mod(W, 16), 16), 8) == 0'")
      .Example(
          absl::StrCat("--check model.", targets::Names()[0], ".cert.json --model model.onnx"));
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (const std::optional<int> code = CheckFlags(line)) return *code;
  cli::EnterInvokingFolder();
  if (!arguments.statement.empty()) return ProveStatement(arguments.statement);
  if (!arguments.statements.empty()) return ProveStatements(arguments.statements);
  if (!arguments.check.empty()) return CheckCertificate(line, arguments);
  return ProveModel(line, arguments);
}

}  // namespace

namespace tools {

int Prove(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
