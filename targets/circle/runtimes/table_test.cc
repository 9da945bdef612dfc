// What a table says of a use, and that the tables of the project are such ones.
#include "targets/circle/runtimes/table.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/registry.h"
#include "targets/circle/compile.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {
namespace {

constexpr char kText[] =
    "# some runtime 1.0\n"
    "SLICE\tf32>f32\t-\t1-4\truns\n"
    "SLICE\tf32>f32\t-\t5-6\twrong: other values\n"
    "SLICE\tf32>f32\tdynamic\t3\trefused: no sizes\n"
    "LESS\ti32,i32>bool\t-\t0,2-3\truns\n";

RuntimeTable Parsed(const std::string& text) {
  absl::StatusOr<RuntimeTable> table = RuntimeTable::Parse(text);
  EXPECT_TRUE(table.ok()) << table.status();
  return *std::move(table);
}

TEST(RuntimeTable, SaysWhyAUseDoesNotRun) {
  const RuntimeTable table = Parsed(kText);
  EXPECT_EQ(table.title(), "some runtime 1.0");
  EXPECT_EQ(table.WhyNot({"SLICE", "f32>f32", 3, {}}), "");
  EXPECT_EQ(table.WhyNot({"SLICE", "f32>f32", 5, {}}), "wrong: other values");
  EXPECT_EQ(table.WhyNot({"SLICE", "f32>f32", 3, {"dynamic"}}), "refused: no sizes");
  EXPECT_EQ(table.WhyNot({"SLICE", "f32>f32", 2, {"dynamic"}}), "");
  EXPECT_EQ(table.WhyNot({"SLICE", "f32>f32", 7, {}}), "not tried: SLICE f32>f32 of rank 7");
  EXPECT_EQ(table.WhyNot({"SLICE", "i32>i32", 2, {}}), "not tried: SLICE i32>i32 of rank 2");
  EXPECT_EQ(table.WhyNot({"TILE", "f32>f32", 2, {}}), "not tried: TILE f32>f32 of rank 2");
}

TEST(RuntimeTable, RowsMayNameSeveralForms) {
  const RuntimeTable table = Parsed(
      "# some runtime 1.0\nADD\tf32,f32>f32\t-\t1-4\truns\n"
      "ADD\tf32,f32>f32\tbroadcast,empty\t1-4\twrong: another shape\n");
  EXPECT_EQ(table.WhyNot({"ADD", "f32,f32>f32", 2, {"broadcast", "dynamic"}}), "");
  EXPECT_EQ(table.WhyNot({"ADD", "f32,f32>f32", 2, {"dynamic", "empty"}}), "");
  EXPECT_EQ(table.WhyNot({"ADD", "f32,f32>f32", 2, {"broadcast", "dynamic", "empty"}}),
            "wrong: another shape");
  EXPECT_TRUE(table.Runs("ADD", "f32", 2, "broadcast"));
  EXPECT_FALSE(table.Runs("ADD", "f32", 2, "broadcast,empty"));
}

TEST(RuntimeTable, AnswersGuards) {
  const RuntimeTable table = Parsed(kText);
  EXPECT_TRUE(table.Runs("SLICE", "f32", 4, ""));
  EXPECT_FALSE(table.Runs("SLICE", "f32", 5, ""));
  EXPECT_FALSE(table.Runs("SLICE", "f32", 3, "dynamic"));
  EXPECT_TRUE(table.Runs("SLICE", "f32", 3, ""));
  EXPECT_FALSE(table.Runs("SLICE", "bool", 3, ""));
  EXPECT_TRUE(table.Runs("LESS", "i32", 2, "")) << "of comparisons the operands' type";
  EXPECT_FALSE(table.Runs("LESS", "i32", 1, ""));
  EXPECT_FALSE(table.Runs("TILE", "f32", 1, ""));
}

TEST(RuntimeTable, IsWrittenAsItIsRead) {
  RuntimeTable table;
  for (const int64_t rank : {4, 1, 2}) table.Add("ABS", {"f32>f32", kEveryForm, {rank}, kRuns});
  table.Add("ABS", {"f32>f32", kEveryForm, {3}, "refused: odd"});
  EXPECT_EQ(table.ToText(), "ABS\tf32>f32\t-\t1-2,4\truns\nABS\tf32>f32\t-\t3\trefused: odd\n");
  EXPECT_EQ(Parsed("# t\n" + table.ToText()).ToText(), table.ToText());
}

TEST(RuntimeTable, RefusesOtherLines) {
  for (const char* line :
       {"ABS", "ABS\tf32\t-\t1\truns", "ABS\tf32>f32\t-\t2-1\truns", "ABS\tf32>f32\t-\tx\truns",
        "ABS\tf32>f32\t-\t1-999999999999\truns", "ABS\tf32>f32\t-\t1\t", "\tf32>f32\t-\t1\truns"}) {
    const absl::StatusOr<RuntimeTable> table =
        RuntimeTable::Parse(std::string("# title\n") + line + "\n");
    ASSERT_FALSE(table.ok()) << line;
    EXPECT_NE(table.status().message().find("line 2"), absl::string_view::npos);
  }
  EXPECT_FALSE(RuntimeTable::Parse("").ok());
}

TEST(Runtimes, HaveTablesOfOperatorsThatThereAre) {
  RegisterOperators();
  ASSERT_EQ(Runtimes().size(), 2u);
  for (const Runtime& runtime : Runtimes()) {
    EXPECT_NE(runtime.table.title(), "");
    EXPECT_GT(runtime.table.rows().size(), 60u);
    for (const auto& [op, rows] : runtime.table.rows())
      EXPECT_TRUE(ir::Registry::Global().Find(kDialect, op) != nullptr ||
                  ir::Registry::Global().Find(kIntegers, op) != nullptr ||
                  rows[0].types == kAnyTypes)
          << op;
  }
}

// What was not tried counts as what does not run.
TEST(Runtimes, WereTriedWithAllThatArtifactsHold) {
  RegisterOperators();
  for (const ir::OpInfo* op : ir::Registry::Global().Ops(kDialect)) {
    // Numbers below 0 are Circle's own operators, of which no lowering makes one.
    if (op->code == nullptr || op->code->code < 0) continue;
    for (const Runtime& runtime : Runtimes())
      EXPECT_EQ(runtime.table.rows().count(op->name), 1u) << op->name << " in " << runtime.name;
  }
}

TEST(Places, AreOneRuntimeOrAll) {
  const absl::StatusOr<Places> any = Places::Of("any"), onert = Places::Of("onert");
  ASSERT_TRUE(any.ok() && onert.ok());
  EXPECT_FALSE(any->strict());
  EXPECT_TRUE(onert->strict());
  const Use use{"HARD_SWISH", "f32>f32", 4, {}};
  EXPECT_EQ(Places::Of("litert")->WhyNot(use), "");
  EXPECT_EQ(any->WhyNot(use), onert->WhyNot(use));
  EXPECT_NE(onert->WhyNot(use), "");
  EXPECT_FALSE(Places::Of("tflite").ok());
}

}  // namespace
}  // namespace tessera::circle
