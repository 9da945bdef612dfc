// What a file of a recording must say, and the words for what it does not.
#include "targets/npu/replay/recording.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::npu {
namespace {

using ::testing::HasSubstr;

constexpr char kCopy[] = R"({"name":"a","device":"1.0","operations":[{"type":"Copy","operands":[
  {"role":"input","shape":[1,8],"type":"int16","layout":"","mode":"default","data_base64":"AQACAAMABAAFAAYABwAIAA=="},
  {"role":"output","shape":[1,8],"type":"int16","layout":"","mode":"default"}],
  "parameters":{"copy_shape":[1,8]}}],
  "outputs":[{"op":0,"type":"int16","shape":[1,8],"data_base64":"AQACAAMABAAFAAYABwAIAA=="}],"saturated":false})";

void ExpectError(const std::string& from, const std::string& to, const std::string& message) {
  const std::string text = absl::StrReplaceAll(kCopy, {{from, to}});
  ASSERT_NE(text, kCopy) << from;
  const absl::StatusOr<Recording> recording = ParseRecording(text);
  ASSERT_FALSE(recording.ok()) << to;
  EXPECT_THAT(recording.status().message(), HasSubstr(message));
}

TEST(ParseRecording, Reads) {
  const absl::StatusOr<Recording> recording = ParseRecording(kCopy);
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->model.operations.size(), 1u);
  const Operand& input = recording->model.operations[0].operand(kInput);
  EXPECT_EQ(input.type, DataType::kInt16);
  EXPECT_EQ(input.data->size(), 16);
  EXPECT_EQ(recording->model.operations[0].Find("copy_shape")->size(), 2u);
}

TEST(ParseRecording, NamesThePlaceOfWhatIsWrong) {
  ExpectError("{\"name\"", "[\"name\"", "is no JSON");
  ExpectError("\"device\":\"1.0\",", "", "`/` lacks `device`");
  ExpectError("\"Copy\"", "\"Paste\"", "`/operations/0` is of the type `Paste`");
  ExpectError("\"Copy\"", "7", "`/operations/0/type` is number, wanted is a string");
  ExpectError("\"role\":\"input\"", "\"role\":\"weights\"",
              "`/operations/0/operands/0` has the role `weights`, operand 0 is the input");
  ExpectError("\"shape\":[1,8],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\",\"data",
              "\"shape\":[1,9],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\",\"data",
              "`/operations/0/operands/0` has 16 bytes of data, its shape [1,9] of int16 has 18");
  ExpectError("\"int16\",\"layout\"", "\"int17\",\"layout\"", "is of the type `int17`");
  ExpectError("\"mode\":\"default\"}", "\"mode\":\"none\"}", "is of the mode `none`");
  ExpectError("\"mode\":\"default\"}", "\"mode\":\"default\",\"from\":[0,1]}",
              "`/operations/0/operands/1/from` is not `[operation, 1]`");
  ExpectError("\"shape\":[1,8],\"type\":\"int16\",\"layout\"",
              "\"shape\":[1,-8],\"type\":\"int16\",\"layout\"",
              "`/operations/0/operands/0/shape/1` is -8, wanted is an integer from 0");
  ExpectError("[1,8],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\"}",
              "[1,99999999999],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\"}",
              "is 99999999999, wanted is an integer");
  ExpectError("\"copy_shape\"", "\"paste_shape\"",
              "`/operations/0/parameters` has `paste_shape`, which is no parameter");
  ExpectError("AQACAAMABAAFAAYABwAIAA==\"}]", "AQACAAMABAAFAAYABwAIA!==\"}]", "is no Base64");
  ExpectError("\"outputs\":[{", "\"outputs\":[],\"unused\":[{", "has no `outputs` and no `error`");
  ExpectError("\"op\":0", "\"op\":1", "`/outputs/0/op` is 1, wanted is an integer from 0 to 0");
  ExpectError("\"saturated\":false", "\"saturated\":0", "wanted is a truth value");
  ExpectError("\"data_base64\":\"AQACAAMABAAFAAYABwAIAA==\"},",
              "\"data_generator\":{\"generator\":\"splitmix64\",\"seed\":1,\"lo\":2,\"hi\":1}},",
              "`/operations/0/operands/0/data_generator` has `lo` above `hi`");
  ExpectError(
      "[1,8],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\",\"data_base64\":"
      "\"AQACAAMABAAFAAYABwAIAA==\"",
      "[99999,99999],\"type\":\"int16\",\"layout\":\"\",\"mode\":\"default\",\"data_generator\":{"
      "\"generator\":\"splitmix64\",\"seed\":1,\"lo\":0,\"hi\":1}",
      "makes more than 1073741824 bytes");
}

}  // namespace
}  // namespace tessera::npu
