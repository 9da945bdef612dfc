#include "passes/compression/calibration/spread_samples.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tessera::calibration {
namespace {

class Numbered : public SampleSource {
 public:
  explicit Numbered(size_t size) : size_(size) {}
  size_t size() const override { return size_; }
  absl::StatusOr<std::vector<ir::Tensor>> Load(size_t index) const override {
    return std::vector<ir::Tensor>{
        ir::Tensor::Of<int64_t>(ir::DType::kI64, {1}, {static_cast<int64_t>(index)})};
  }
  std::string NameOf(size_t index) const override { return absl::StrCat(index); }

 private:
  size_t size_;
};

std::vector<std::string> Taken(size_t size, size_t most) {
  const Numbered all(size);
  const SpreadSamples some(all, most);
  std::vector<std::string> taken;
  for (size_t i = 0; i < some.size(); ++i) {
    taken.push_back(some.NameOf(i));
    EXPECT_EQ(absl::StrCat((*some.Load(i))[0].data<int64_t>()[0]), taken.back());
  }
  return taken;
}

TEST(SpreadSamplesTest, LieApart) {
  EXPECT_EQ(Taken(10, 3), (std::vector<std::string>{"0", "3", "6"}));
  EXPECT_EQ(Taken(3, 2), (std::vector<std::string>{"0", "1"}));
}

TEST(SpreadSamplesTest, AllWhereThereAreNoMore) {
  const std::vector<std::string> all = {"0", "1", "2"};
  EXPECT_EQ(Taken(3, 0), all);
  EXPECT_EQ(Taken(3, 3), all);
  EXPECT_EQ(Taken(3, 64), all);
  EXPECT_TRUE(Taken(0, 4).empty());
}

}  // namespace
}  // namespace tessera::calibration
