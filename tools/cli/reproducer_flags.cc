#include "tools/cli/reproducer_flags.h"

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/constants_file.h"
#include "ir/text.h"
#include "support/file.h"
#include "support/random_tensor.h"
#include "tools/cli/crash_handler.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/pass_flags.h"

namespace tessera::cli {
namespace {

// `a/unet.onnx` -> `unet`.
std::string StemOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

using Files = std::vector<std::pair<std::string, std::string>>;

// Paths and contents; the first is the reproducer itself.
absl::StatusOr<Files> FilesOf(const std::string& folder, const std::string& stem,
                              passes::Reproducer reproducer) {
  const std::string name =
      absl::StrCat(stem, ".", reproducer.position + 1, "-", reproducer.about, ".reproducer");
  const std::string path = folder.empty() ? name : absl::StrCat(folder, "/", name);
  Files files;
  if (!reproducer.constants.empty()) {
    reproducer.constants_file = absl::StrCat(name, ".constants");
    std::map<ir::Digest, const ir::Tensor*> constants;
    for (const auto& [digest, tensor] : reproducer.constants) constants.emplace(digest, &tensor);
    std::ostringstream bytes;
    if (absl::Status status = ir::WriteConstants(constants, bytes); !status.ok()) return status;
    files.emplace_back(absl::StrCat(path, ".constants"), bytes.str());
  }
  files.emplace(files.begin(), path, passes::ToText(reproducer));
  return files;
}

absl::StatusOr<std::string> Write(const std::string& folder, const std::string& stem,
                                  passes::Reproducer reproducer) {
  if (!folder.empty()) {
    if (absl::Status status = support::MakeFolder(folder); !status.ok()) return status;
  }
  const absl::StatusOr<Files> files = FilesOf(folder, stem, std::move(reproducer));
  if (!files.ok()) return files.status();
  for (const auto& [path, bytes] : *files) {
    if (absl::Status status = support::WriteFile(path, bytes); !status.ok()) return status;
  }
  return files->front().first;
}

// What a crash in the pass would leave. No file without a folder to put it in.
void Prepare(const std::string& program, const std::optional<std::string>& folder,
             const std::string& stem, const passes::Reproducer* reproducer) {
  if (reproducer == nullptr) return ForgetCrashPlan();
  const std::string pass = absl::StrCat("pass `", reproducer->about, "`");
  CrashPlan plan;
  plan.message = absl::StrCat(program, ": internal error, please report it: ", pass, ": ");
  if (folder) {
    passes::Reproducer crashed = *reproducer;
    plan.rest = std::move(crashed.ir);
    crashed.failure = absl::InternalError(absl::StrCat(pass, " crashed"));
    if (absl::StatusOr<Files> files = FilesOf(*folder, stem, std::move(crashed)); files.ok()) {
      plan.files = *std::move(files);
      plan.advice = absl::StrCat("  written to see it again: `", plan.files[0].first, "`\n");
    }
  }
  PlanForCrash(std::move(plan));
}

absl::StatusOr<ir::ConstantSource> ConstantsOf(const passes::Reproducer& reproducer,
                                               const std::string& path) {
  ir::ConstantSource stored;
  if (!reproducer.constants_file.empty()) {
    const size_t slash = path.rfind('/');
    absl::StatusOr<std::string> bytes = support::ReadFile(absl::StrCat(
        slash == std::string::npos ? "" : path.substr(0, slash + 1), reproducer.constants_file));
    if (!bytes.ok()) return bytes.status();
    const auto owner = std::make_shared<const std::string>(*std::move(bytes));
    absl::StatusOr<ir::ConstantSource> source =
        ir::ReadConstants(owner, {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()});
    if (!source.ok()) return source.status();
    stored = *std::move(source);
  }
  std::map<ir::Digest, passes::AbsentConstant> absent;
  for (const passes::AbsentConstant& constant : reproducer.absent)
    absent.emplace(constant.digest, constant);
  return ir::ConstantSource(
      [stored, absent](const ir::Digest& digest) -> absl::StatusOr<ir::Tensor> {
        const auto it = absent.find(digest);
        // The digest as the seed: constants of one name stay equal.
        if (it != absent.end())
          return support::RandomTensor(it->second.dtype, it->second.shape, digest.low);
        if (stored) return stored(digest);
        return absl::NotFoundError(absl::StrCat("no constant ", digest.ToString()));
      });
}

absl::StatusOr<passes::Pipeline> PipelineOf(const passes::Reproducer& reproducer,
                                            const passes::Pipeline& known) {
  passes::Pipeline pipeline;
  std::vector<std::string> names;
  for (const passes::Pass& pass : known) names.push_back(pass.name);
  for (const std::string& name : reproducer.passes) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      const std::optional<std::string> nearest = Nearest(name, names);
      return absl::InvalidArgumentError(absl::StrCat(
          "no pass `", name, "`", nearest ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
    }
    pipeline.push_back(known[static_cast<size_t>(it - names.begin())]);
  }
  return pipeline;
}

absl::Status In(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code() == absl::StatusCode::kInternal
                          ? absl::StatusCode::kInvalidArgument
                          : status.code(),
                      absl::StrCat("`", path, "`: ", status.message()));
}

}  // namespace

void ReproducerFlags::Declare(CommandLine& line) {
  line.Value("reproducer", "FOLDER|none",
             "where a file goes with which a failing pass can be run again; default: the current "
             "folder, and only for bugs of ours. A folder that is named also gets one when a pass "
             "refuses the model",
             &where_)
      .Values("emit-reproducer-before", "PASS",
              "writes one before a pass runs, whether it fails or not; `all` is every pass",
              &before_)
      .Switch("reproducer-weights",
              "keeps all constants in reproducers; otherwise only small ones of integers",
              &weights_)
      .Value("reproduce", "FILE", "runs the passes of a reproducer again, in place of a model",
             &reproduce_);
}

std::optional<int> ReproducerFlags::Resolve(const CommandLine& line, const passes::Pipeline& known,
                                            const std::string& model, const std::string& target,
                                            passes::RunOptions& options) const {
  passes::ReproducerOptions& reproducers = options.reproducers;
  if (auto code = ResolvePasses(line, known, "emit-reproducer-before", before_, reproducers.before))
    return code;
  if (where_ == "none" && !before_.empty()) {
    return line.WrongUsage(
        "`--emit-reproducer-before` writes a file, and `--reproducer=none` wants none");
  }
  reproducers.target = target;
  reproducers.weights = weights_;
  reproducers.refusals = !where_.empty();
  const std::string program = line.program();
  if (where_ == "none" || !reproduce_.empty()) {
    reproducers.prepare = [program](const passes::Reproducer* reproducer) {
      Prepare(program, std::nullopt, "", reproducer);
    };
    return std::nullopt;
  }
  reproducers.write = [folder = where_, stem = StemOf(model)](passes::Reproducer reproducer) {
    return Write(folder, stem, std::move(reproducer));
  };
  // A crash leaves no time to make the folder.
  reproducers.prepare = [program, folder = where_,
                         stem = StemOf(model)](const passes::Reproducer* reproducer) {
    const bool made = folder.empty() || support::MakeFolder(folder).ok();
    Prepare(program, made ? std::optional<std::string>(folder) : std::nullopt, stem, reproducer);
  };
  return std::nullopt;
}

int Reproduce(const std::string& program, const std::string& path, const passes::Pipeline& known,
              passes::RunOptions options, std::vector<passes::PassReport>& reports,
              std::ostream& out, std::ostream& err) {
  const auto wrong = [&](const absl::Status& status) {
    return Report(program, In(path, status), err);
  };
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return Report(program, text.status(), err);
  const absl::StatusOr<passes::Reproducer> file = passes::ParseReproducer(*text);
  if (!file.ok()) return wrong(file.status());
  const absl::StatusOr<passes::Pipeline> pipeline = PipelineOf(*file, known);
  if (!pipeline.ok()) return wrong(pipeline.status());
  const absl::StatusOr<ir::ConstantSource> constants = ConstantsOf(*file, path);
  if (!constants.ok()) return wrong(constants.status());
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(*file->ir, *constants);
  if (!graph.ok()) return wrong(graph.status());
  if (!file->absent.empty()) {
    out << file->absent.size()
        << " constants are not in the file: seeded values stand in for them\n";
  }
  options.shuffle_seed = file->shuffle_seed;
  options.strict_floats = options.strict_floats || file->strict_floats;
  options.requested.insert(file->requested.begin(), file->requested.end());
  options.without.insert(file->without.begin(), file->without.end());
  if (options.bisect_limit < 0) options.bisect_limit = file->rewrites_left;
  const absl::Status status = passes::Run(**graph, *pipeline, options, reports);
  if (status.ok()) {
    if (file->failure.ok()) {
      out << "the passes ran: " << absl::StrJoin(file->passes, " ") << "\n";
      return kDone;
    }
    err << program << ": `" << path << "`: the recorded failure did not come again; it was\n  "
        << file->failure.message() << "\n";
    return kBadInput;
  }
  const int code = Report(program, status, err);
  if (!file->failure.ok())
    out << (status == file->failure ? "the same failure\n" : "another failure than the recorded\n");
  return code;
}

}  // namespace tessera::cli
