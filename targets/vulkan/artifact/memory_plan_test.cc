#include "targets/vulkan/artifact/memory_plan.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::vulkan {
namespace {

// Layers one behind the other, whose tensors have sizes of a few kinds.
class Layers {
 public:
  explicit Layers(solver::Context& context) : t_(context.Symbol("T")) {
    x_ = New({t_, 32}, Tensor::kInput);
    program_.inputs = {x_};
  }

  // As attention and what follows it have them.
  void Add() {
    const int normal = Stage({x_}, {t_, 32});
    const int q = Stage({normal}, {t_, 32}), k = Stage({normal}, {t_, 32}),
              v = Stage({normal}, {t_, 32});
    const int scores = Stage({q, k}, {4, t_, t_}), greatest = Stage({scores}, {4, t_});
    const int shares = Stage({scores, greatest}, {4, t_, t_});
    x_ = Stage({x_, Stage({shares, v}, {t_, 32})}, {t_, 32});
    x_ = Stage({x_, Stage({Stage({x_}, {t_, 32})}, {t_, 128})}, {t_, 32});
  }

  Program Take() {
    program_.outputs = {x_};
    program_.output_names = {"y"};
    return std::move(program_);
  }

 private:
  int New(std::vector<Expr> dims, Tensor::Kind kind) {
    Tensor tensor;
    tensor.kind = kind;
    tensor.dims = std::move(dims);
    program_.tensors.push_back(std::move(tensor));
    return static_cast<int>(program_.tensors.size()) - 1;
  }

  int Stage(const std::vector<int>& reads, std::vector<Expr> dims) {
    const int result = New(std::move(dims), Tensor::kComputed);
    vulkan::Stage stage;
    for (int read : reads) {
      nests::Nest nest;
      nest.target = InProgram(result);
      nest.body = nests::Scalar::Read(InProgram(read), nests::Number::kF32, {}, nests::Scalar());
      stage.nests.push_back(std::move(nest));
    }
    program_.stages.push_back(std::move(stage));
    return result;
  }

  Expr t_;
  Program program_;
  int x_ = 0;
};

TEST(PlanArena, OfManyEqualLayersIsAsSimpleAsOfFew) {
  solver::Context context;
  std::vector<size_t> places, lengths;
  for (int count : {8, 400}) {
    Layers layers(context);
    for (int i = 0; i < count; ++i) layers.Add();
    const MemoryPlan plan = PlanArena(layers.Take(), context);
    std::set<std::string> offsets;
    for (const Expr& offset : plan.offsets) {
      ASSERT_FALSE(offset.IsInvalid());
      offsets.insert(offset.ToString());
    }
    ASSERT_FALSE(plan.bytes.IsInvalid());
    places.push_back(offsets.size());
    lengths.push_back(plan.bytes.ToString().size());
    // At the sizes of the plan they are what the plan says.
    const absl::StatusOr<int64_t> bytes = solver::Evaluate(plan.bytes, plan.planned_for);
    ASSERT_TRUE(bytes.ok());
    EXPECT_LE(*bytes, plan.planned_bytes);
  }
  EXPECT_LE(places[1], 2 * places[0]);
  EXPECT_LE(lengths[1], 2 * lengths[0]);
}

}  // namespace
}  // namespace tessera::vulkan
