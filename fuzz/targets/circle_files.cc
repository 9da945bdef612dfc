// Circle files through the reader, the check and the executor: what the check accepts runs, or ends
// in an error that blames the file.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fuzz/networks/generator.h"
#include "fuzz/targets/circle_mutation.h"
#include "fuzz/targets/target.h"
#include "ir/tensor.h"
#include "passes/pipeline.h"
#include "targets/circle/compile.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"
#include "testing/sampling/all_checks.h"
#include "testing/sampling/values.h"

namespace tessera::fuzz {
namespace {

using testing::Random;

constexpr int64_t kMostElements = 1 << 14;  // of a tensor of files that are run
constexpr int64_t kMostSteps = 200;

// Whether all that the file says of sizes is small, so that running it is.
bool IsSmall(const circle::FileModel& model) {
  for (const circle::FileGraph& graph : model.graphs) {
    for (const circle::FileTensor& tensor : graph.tensors) {
      int64_t elements = 1;
      for (const int64_t dim : tensor.shape) {
        if (dim > kMostElements) return false;
        elements = std::min(elements * std::max<int64_t>(dim, 1), 2 * kMostElements);
      }
      if (elements > kMostElements) return false;
    }
  }
  return true;
}

// Of the declared types, dims that are open are 2. Empty where there is no such type.
std::vector<ir::Tensor> InputsOf(const circle::FileModel& model) {
  Random random(1);
  std::vector<ir::Tensor> inputs;
  for (const int32_t index : model.main().inputs) {
    const circle::FileTensor& tensor = model.main().tensors[static_cast<size_t>(index)];
    const std::optional<ir::DType> dtype = circle::DTypeOf(tensor.type);
    if (!dtype.has_value()) return {};
    std::vector<int64_t> shape = tensor.shape;
    for (int64_t& dim : shape) dim = dim < 0 ? 2 : dim;
    inputs.push_back(
        testing::RandomValues(*dtype, std::move(shape), testing::Style::kPlain, random));
  }
  return inputs;
}

std::string Blame(absl::string_view what, const absl::Status& status) {
  return absl::IsInternal(status)
             ? absl::StrCat(what, " blames us: ", std::string(status.message()))
             : "";
}

}  // namespace

std::string Try(std::string_view bytes) {
  circle::RegisterOperators();
  // In memory of its own, so that reads behind its end are seen, and aligned as files are.
  const auto owner = std::make_shared<std::vector<std::max_align_t>>(
      (bytes.size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(owner->data()));
  const absl::Span<const uint8_t> file(reinterpret_cast<const uint8_t*>(owner->data()),
                                       bytes.size());
  const absl::StatusOr<circle::FileModel> model = circle::ReadCircle(file, owner);
  if (!model.ok()) return Blame("the reader", model.status());
  if (!circle::ErrorsOf(circle::CheckCircle(*model)).ok()) return "";
  if (const auto written = circle::WriteCircle(*model); !written.ok())
    return absl::StrCat("is not written: ", std::string(written.status().message()));
  if (!IsSmall(*model)) return "";
  const absl::StatusOr<circle::Executor> executor = circle::Executor::Create(file, owner);
  if (!executor.ok()) return Blame("preparing", executor.status());
  const std::vector<ir::Tensor> inputs = InputsOf(*model);
  if (inputs.size() != model->main().inputs.size()) return "";
  return Blame("running", executor->Run(inputs, kMostSteps).status());
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  circle::RegisterOperators();
  std::vector<std::string> seeds;
  for (const circle::FileModel& model :
       {circle::AddModel(), circle::ConvModel(), circle::WhileModel(), circle::IfModel(),
        circle::EveryKindModel()})
    seeds.push_back(*circle::WriteCircle(model));
  const std::vector<testing::Subject> subjects = testing::CoreSubjects();
  Generator generator(subjects);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    ir::Graph graph;
    std::vector<ir::Value*> values;
    if (!Build(generator.Make(seed, 4), graph, values).ok()) continue;
    circle::CompileOptions options;
    options.first = passes::CanonicalPipeline();
    const auto compiled = circle::Compile(graph, options);
    if (!compiled.ok()) continue;
    std::string bytes = *circle::WriteCircle(compiled->model);
    if (bytes.size() < 20000) seeds.push_back(std::move(bytes));
  }
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>&, Random& random) {
  return random.OneIn(8) ? WithOtherBytes(bytes, random) : MutatedCircle(bytes, random);
}

}  // namespace tessera::fuzz
