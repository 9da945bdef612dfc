#include "frontends/onnx/declarations.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/shape_folding.h"
#include "ir/rewriter.h"

namespace tessera::onnx_import {
namespace {

constexpr size_t kMostDeclarations = 12;
// Imports on the way to them.
constexpr int kMostSteps = 40;

// Op files give this id to what says that windows lie within their axis.
constexpr char kFits[] = "fits";

struct Declaration {
  DimOption dim;
  std::string constraint;  // that it mends
  bool IsForWindows() const { return constraint == kFits && dim.IsLeastSize(); }
};

bool AreForWindows(const std::vector<Declaration>& declarations) {
  return std::all_of(declarations.begin(), declarations.end(),
                     [](const Declaration& declaration) { return declaration.IsForWindows(); });
}

std::vector<std::string> TextsOf(const std::vector<Declaration>& declarations) {
  std::vector<std::string> texts;
  for (const Declaration& declaration : declarations) texts.push_back(declaration.dim.text);
  return texts;
}

// Whether a number is one of the sizes that a declaration of the same dim leaves; of what is
// computed from other dims nothing is known.
bool Admits(const DimOption& dim, int64_t number) {
  if (dim.kind == DimOption::Kind::kCongruence) return number % dim.modulus == dim.residue;
  return dim.kind != DimOption::Kind::kRange || (dim.low <= number && number <= dim.high);
}

// Whether `later` makes `earlier`, of the same dim, superfluous: a chain of windows asks for one
// least size after the other; or excludes it: a size that mends one problem need not mend another.
bool Replaces(const DimOption& later, const DimOption& earlier) {
  if (later.IsLeastSize() && earlier.IsLeastSize()) return earlier.low <= later.low;
  if (later.IsNumber())
    return earlier.IsPlainRange() || earlier.kind == DimOption::Kind::kCongruence;
  return earlier.IsNumber() && !Admits(later, earlier.low);
}

void Add(Declaration declaration, std::vector<Declaration>& declarations) {
  std::erase_if(declarations, [&](const Declaration& other) {
    return other.dim.name == declaration.dim.name && Replaces(declaration.dim, other.dim);
  });
  declarations.push_back(std::move(declaration));
}

ImportOptions With(const std::vector<Declaration>& declarations, ImportOptions options) {
  for (const Declaration& declaration : declarations) options.dims.push_back(declaration.dim);
  return options;
}

// Declarations with which the model imports, none of which can be left out: remedies are taken one
// after the other, and then away again. Empty: they do not lead there. `beyond`: what is wrong
// where all windows fit.
std::vector<Declaration> FindDeclarations(const Attempt& attempt, ImportOptions options,
                                          Mending mending, std::string& beyond) {
  options.imported = nullptr;  // these are attempts
  options.named = nullptr;
  std::vector<Declaration> found;
  bool done = false;
  for (int step = 0; step < kMostSteps && !done; ++step) {
    if (mending.remedy.empty() || found.size() + mending.remedy.size() > kMostDeclarations)
      return {};
    for (const std::string& text : mending.remedy) {
      absl::StatusOr<DimOption> dim = ParseDimOption(text);
      if (!dim.ok()) return {};
      Add({*std::move(dim), mending.constraint}, found);
    }
    const absl::Status status = attempt(With(found, options), mending).status();
    done = status.ok();
    if (!done && beyond.empty() && mending.constraint != kFits && AreForWindows(found)) {
      beyond = absl::StrCat("where windows fit (`--dim ", absl::StrJoin(TextsOf(found), " --dim "),
                            "`):\n", status.message());
    }
  }
  if (!done) return {};
  for (size_t i = 0; i < found.size() && found.size() > 1;) {
    std::vector<Declaration> fewer = found;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (attempt(With(fewer, options), mending).ok()) {
      found = std::move(fewer);
    } else {
      ++i;
    }
  }
  return found;
}

bool MayAssume(Assume assume, const std::vector<Declaration>& declarations) {
  if (declarations.empty() || assume == Assume::kNothing) return false;
  return assume == Assume::kAny || AreForWindows(declarations);
}

}  // namespace

absl::StatusOr<ImportResult> ImportDeclaring(const std::string& name, const ImportOptions& options,
                                             const Attempt& attempt) {
  Mending mending;
  absl::StatusOr<ImportResult> result = attempt(options, mending);
  if (result.ok() || mending.remedy.empty()) return result;
  std::string beyond;
  std::vector<Declaration> declarations = FindDeclarations(attempt, options, mending, beyond);
  if (MayAssume(options.assume, declarations)) {
    std::vector<DimOption> assumed;
    for (Declaration& declaration : declarations) {
      declaration.dim.assumed = declaration.IsForWindows()
                                    ? "so that windows fit; `--strict-dims` refuses instead"
                                    : "found by `--dim auto`";
      assumed.push_back(declaration.dim);
    }
    result = attempt(With(declarations, options), mending);
    if (result.ok()) result->assumed.insert(result->assumed.end(), assumed.begin(), assumed.end());
    return result;
  }
  // Least sizes for windows are assumed, so that it is not for want of them that it is refused.
  if (options.assume != Assume::kNothing && !beyond.empty()) {
    result = absl::Status(result.status().code(),
                          absl::StrCat(result.status().message(), "\n", name, ": ", beyond));
  }
  const std::vector<std::string> texts = TextsOf(declarations);
  // Those that stand with the only problem already.
  if (texts.empty() || (texts == mending.remedy && mending.alone)) return result;
  return absl::Status(
      result.status().code(),
      absl::StrCat(
          result.status().message(), "\n", name, ": all of its shapes are right with `--dim ",
          absl::StrJoin(texts, " --dim "), "`",
          options.assume == Assume::kWindows ? ", or with `--dim auto`, which takes these" : ""));
}

absl::Status FinishImport(const std::string& name, const Problems& problems,
                          const ImportOptions& options, ir::Graph& graph, Mending& mending) {
  mending = {problems.remedy(), problems.constraint(), problems.size() == 1};
  if (absl::Status status = problems.ToStatus(name); !status.ok()) return status;
  if (options.imported) options.imported(graph);
  ir::Rewriter rewriter(graph);
  if (absl::Status status = FoldShapeArithmetic(rewriter); !status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(name, ": folding of shape arithmetic: ", status.message()));
  }
  // Also of what nothing but its shape is read of: other runtimes compute it, and may fail there.
  if (options.check) {
    if (absl::Status status = options.check(graph); !status.ok()) {
      mending = {solver::Attached(status), solver::ConstraintOf(status)};
      return status;
    }
  }
  rewriter.EraseUnused();
  return absl::OkStatus();
}

}  // namespace tessera::onnx_import
