#include "targets/circle/runtimes/fit_file.h"

#include "gtest/gtest.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/runtimes/inspect.h"

namespace tessera::circle {
namespace {

TEST(FitFile, KeepsSizesBackWhereARuntimeStopsAtThem) {
  RegisterOperators();
  for (const char* name : {"onert", "any", "litert"}) {
    const Places places = *Places::Of(name);
    FileModel model = ComputedSizeLoopModel();
    const bool stops = std::string(name) != "litert";
    EXPECT_EQ(NotHeld(model, places).empty(), !stops) << name;
    FitFile(model, places);
    EXPECT_TRUE(NotHeld(model, places).empty()) << name;
    EXPECT_EQ(SaysUnknownSizes(model, model.main().operators.back()), !stops) << name;
  }
}

}  // namespace
}  // namespace tessera::circle
