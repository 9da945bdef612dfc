// What the comparison of import clauses with schemas notices: a small edit to a clause each.
#include "testing/onnx_clauses.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace tessera::testing {
namespace {

constexpr char kSchemas[] =
    "# comment\n"
    "ai.onnx\tSlide\t1\tdata:T k?:i64\tout:T\taxis:int=1 pads:ints mode:string=up\tT:+f16,+f32\n"
    "ai.onnx\tSlide\t7\tdata:T k?:i64\tout:T\taxis:int=-1 to:int! alpha:float=0.2\tT:+bf16,-f16\n"
    "ai.onnx\tSlide\t9-\tdata:T\tout:T\t\t\n";

// `1 to 6` and `7 to 8` of it.
constexpr char kClauses[] =
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tclause\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tattribute\taxis\tattr_int\t1\t6\t=1\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tattribute\tpads\tattr_ints\t1\t6\t~zeros(2)\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tattribute\tmode\tattr_string\t1\t6\t=\"up\"\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tinput\tdata\tone\tf16,f32\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tinput\tk\toptional\ti64\n"
    "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tresult\ty\tas 0\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tclause\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tattribute\taxis\tattr_int\t7\t8\t=-1\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tattribute\tto\tattr_dtype\t7\t8\t!\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tattribute\talpha\tattr_float\t7\t8\t=0.2\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tinput\tdata\tone\tbf16,f32\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tinput\tk\toptional\ti64\n"
    "x.op:9\tSlide\tai.onnx\tSlide\t7\t8\tresult\ty\tas 0\n";

constexpr char kDefaults[] = "# comment\nSlide\tpads\t~zeros(2)\tnone\n";

// All that is found, with `wrong: ` and `deviation: ` in front.
std::string Found(const std::string& clauses, const std::string& defaults = kDefaults) {
  const auto schemas = OnnxSchemas::Read(kSchemas);
  EXPECT_TRUE(schemas.ok()) << schemas.status();
  EXPECT_EQ(schemas->size(), 3u);
  const auto read = ReadImportClauses(clauses);
  EXPECT_TRUE(read.ok()) << read.status();
  const auto unstated = ReadUnstatedDefaults(defaults);
  EXPECT_TRUE(unstated.ok()) << unstated.status();
  const SchemaFindings findings = CompareWithSchemas(*read, *schemas, *unstated, 21);
  std::string text;
  for (const std::string& wrong : findings.wrong) absl::StrAppend(&text, "wrong: ", wrong, "\n");
  for (const std::string& line : findings.deviations)
    absl::StrAppend(&text, "deviation: ", line, "\n");
  return text;
}

std::string Edited(const std::string& from, const std::string& to) {
  const std::string edited = absl::StrReplaceAll(kClauses, {{from, to}});
  EXPECT_NE(edited, kClauses) << from;
  return Found(edited);
}

TEST(OnnxClauses, NothingIsWrongWithTheRightOnes) { EXPECT_EQ(Found(kClauses), ""); }

TEST(OnnxClauses, Opsets) {
  EXPECT_EQ(Edited("Slide\t7\t8", "Slide\t6\t8"),
            "wrong: x.op:9: Slide 6 to 8: no version begins at 6\n"
            "wrong: x.op:9: Slide 6 to 8: the clause at x.op:1 has these opsets too\n"
            "deviation: Slide: attribute `mode` is refused, in opsets 6 to 8\n"
            "deviation: Slide: attribute `pads` is refused, in opsets 6 to 8\n"
            "deviation: Slide: input 0 refuses f16 in opsets 6 to 8\n");
  EXPECT_EQ(Edited("Slide\t1\t6", "Slide\t1\t5"),
            "wrong: x.op:1: Slide 1 to 5: no version ends at 5\n"
            "wrong: x.op:1: Slide 1 to 5: opset 6 is imported by no clause\n");
}

TEST(OnnxClauses, Defaults) {
  EXPECT_EQ(Edited("6\t=1", "6\t=0"),
            "wrong: x.op:1: Slide 1 to 6: `axis` of version 1 is 1 when left out, not =0\n");
  EXPECT_EQ(
      Edited("=\"up\"", "=\"down\""),
      "wrong: x.op:1: Slide 1 to 6: `mode` of version 1 is up when left out, not =\"down\"\n");
  EXPECT_EQ(Edited("=0.2", "=0.25"),
            "wrong: x.op:9: Slide 7 to 8: `alpha` of version 7 is 0.2 when left out, not =0.25\n");
  EXPECT_EQ(Edited("~zeros(2)", "~ones(2)"),
            "wrong: x.op:1: Slide 1 to 6: `pads` of version 1 is ~ones(2) when left out, not "
            "~zeros(2)\n");
  EXPECT_EQ(Edited("8\t!", "8\t=f32"),
            "wrong: x.op:9: Slide 7 to 8: `to` of version 7 is required, and has =f32\n");
}

TEST(OnnxClauses, Attributes) {
  EXPECT_EQ(Edited("\tmode\t", "\tmodes\t"),
            "wrong: x.op:1: Slide 1 to 6: no version has an attribute `modes`\n"
            "deviation: Slide: attribute `mode` is refused, in opsets 1 to 6\n");
  EXPECT_EQ(Edited("axis\tattr_int\t7", "axis\tattr_float\t7"),
            "wrong: x.op:9: Slide 7 to 8: `axis` of version 7 is of kind int, read by "
            "attr_float\n");
}

TEST(OnnxClauses, InputsAndResults) {
  EXPECT_EQ(Edited("6\tinput\tdata\tone", "6\tinput\tk\tone"),
            "wrong: x.op:1: Slide 1 to 6: `k` is input 1 of version 1, not 0\n");
  EXPECT_EQ(Edited("6\tinput\tk\toptional", "6\tinput\tk\tmany"),
            "wrong: x.op:1: Slide 1 to 6: `k` is many operand, and optional in version 1\n");
  EXPECT_EQ(Edited("6\tinput\tdata\tone\tf16,f32", "6\tinput\tdata\tone\tf32,i8"),
            "deviation: Slide: input 0 refuses f16 in opsets 1 to 6\n"
            "deviation: Slide: input 0 takes i8 in opsets 1 to 6\n");
  EXPECT_EQ(Edited("6\tresult\ty\tas 0", "6\tresult\ty\tas 1"),
            "deviation: Slide: output 0 has the type of input 1, version 1 does not say so\n");
}

TEST(OnnxClauses, DeprecatedVersions) {
  EXPECT_EQ(Edited("Slide\t7\t8", "Slide\t7\t1048576"),
            "wrong: x.op:9: Slide from 7: version 9 is deprecated\n");
}

TEST(OnnxClauses, ListedDefaultsAreUsed) {
  EXPECT_EQ(Found(kClauses, absl::StrCat(kDefaults, "Slide\taxes\t=1\tnone\n")),
            "wrong: Slide: the default of `axes` is listed and not used\n");
}

TEST(OnnxClauses, UnknownOperators) {
  EXPECT_EQ(Found("x.op:1\tGlide\tai.onnx\tGlide\t1\t6\tclause\n", ""),
            "deviation: Glide: ONNX has no such operator in its domain\n");
  EXPECT_EQ(Found("x.op:1\tGlide\tmine\tGlide\t1\t6\tclause\n", ""), "");
}

TEST(OnnxClauses, MalformedTables) {
  for (const char* table : {"ai.onnx\tSlide\tone\t\t\t\t\n", "ai.onnx\tSlide\t1\tx\t\t\t\n",
                            "ai.onnx\tSlide\t1\t\t\t\tT:f32\n", "ai.onnx\tSlide\t1\n",
                            "ai.onnx\tSlide\t2\t\t\t\t\nai.onnx\tSlide\t1\t\t\t\t\n"})
    EXPECT_FALSE(OnnxSchemas::Read(table).ok()) << table;
  for (const char* table : {"x.op:1\tSlide\n", "x.op:1\tSlide\tai.onnx\tSlide\t1\t6\tinput\tx\n",
                            "x.op:1\tSlide\tai.onnx\tSlide\ta\t6\tclause\n"})
    EXPECT_FALSE(ReadImportClauses(table).ok()) << table;
  EXPECT_FALSE(ReadUnstatedDefaults("Slide\tpads\n").ok());
  EXPECT_FALSE(ReadUnstatedDefaults(absl::StrCat(kDefaults, kDefaults)).ok());
}

}  // namespace
}  // namespace tessera::testing
