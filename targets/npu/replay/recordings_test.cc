// Every recorded run, by the kernels that the emulator uses and by the definitions alone; and that
// the comparison sees what differs.
#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "support/file.h"
#include "targets/npu/model/check.h"
#include "targets/npu/replay/compare.h"

namespace tessera::npu {
namespace {

constexpr char kFolder[] = "testdata/npu_recordings";
constexpr size_t kRuns = 131, kRefusals = 59;

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string TextOf(const std::string& file) {
  const absl::StatusOr<std::string> text = support::ReadFile(file);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

std::vector<Recording> All() {
  std::vector<Recording> recordings;
  for (const std::string& file : Files()) {
    absl::StatusOr<Recording> recording = ParseRecording(TextOf(file));
    EXPECT_TRUE(recording.ok()) << file << ": " << recording.status();
    if (recording.ok()) recordings.push_back(*std::move(recording));
  }
  return recordings;
}

void ExpectAll(const RunOptions& options) {
  size_t matched = 0, rejected = 0;
  for (const Recording& recording : All()) {
    const Verdict verdict = Compare(recording, options);
    EXPECT_NE(verdict.kind, Verdict::kFailed) << recording.name << ": " << verdict.text;
    (verdict.kind == Verdict::kMatched ? matched : rejected) += verdict.kind != Verdict::kFailed;
  }
  EXPECT_EQ(matched, kRuns);
  EXPECT_EQ(rejected, kRefusals);
}

TEST(Recordings, ReplayOnTheEmulator) { ExpectAll({.use_fast = true}); }
TEST(Recordings, ReplayByTheDefinitionsAlone) { ExpectAll({.use_fast = false}); }

TEST(Recordings, RefusalsNameTheRecordedValueAndALimit) {
  for (const Recording& recording : All()) {
    if (!recording.error.has_value()) continue;
    const auto violation = CheckModel(recording.model, *FindRecorded(recording.device));
    ASSERT_TRUE(violation.has_value()) << recording.name;
    EXPECT_EQ(violation->value, recording.error->value.value_or(0)) << recording.name;
    EXPECT_NE(violation->limit, "") << recording.name;
  }
}

TEST(Comparison, SeesEachChangedByteAndPlace) {
  std::mt19937_64 random(7);
  for (Recording& recording : All()) {
    if (recording.error.has_value()) {
      const RecordedError error = *recording.error;
      recording.error->dimension = error.dimension.value_or(-1) + 1;
      EXPECT_EQ(Compare(recording).kind, Verdict::kFailed) << recording.name;
      recording.error = error;
      recording.error->operand = error.operand.value_or(-1) + 1;
      EXPECT_EQ(Compare(recording).kind, Verdict::kFailed) << recording.name;
      recording.error = error;
      recording.error->reason = error.reason == "Other" ? "NotEqual" : "Other";
      EXPECT_EQ(Compare(recording).kind, Verdict::kFailed) << recording.name;
      continue;
    }
    Operand& output = recording.outputs[random() % recording.outputs.size()].operand;
    const size_t at = random() % output.data->bytes().size();
    output.data->mutable_data<uint8_t>()[at] ^= static_cast<uint8_t>(1u << random() % 8);
    EXPECT_EQ(Compare(recording).kind, Verdict::kFailed) << recording.name;
  }
}

TEST(Comparison, SeesWhetherSomethingSaturated) {
  size_t seen[2] = {};
  for (Recording& recording : All()) {
    if (!recording.saturated.has_value()) continue;
    ++seen[*recording.saturated ? 1 : 0];
    recording.saturated = !*recording.saturated;
    EXPECT_EQ(Compare(recording).kind, Verdict::kFailed) << recording.name;
  }
  EXPECT_GT(seen[0], 20u);
  EXPECT_GT(seen[1], 20u);
}

// Whatever stands in a file, there is a verdict or an error.
TEST(Recordings, CorruptedTextIsRefusedOrRun) {
  std::mt19937_64 random(11);
  const std::vector<std::string> files = Files();
  const std::string inserted = "0129-[]{},:\"e.aA/=";
  size_t refused = 0, judged = 0;
  for (int round = 0; round < 1200; ++round) {
    std::string text = TextOf(files[random() % files.size()]);
    if (text.size() > 6000) continue;
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      // Mostly among what is not data.
      const size_t below = 1 + random() % text.size();
      const size_t at = random() % below;
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, 1, inserted[random() % inserted.size()]);
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        default:
          text.resize(at);
      }
      if (text.empty()) break;
    }
    const absl::StatusOr<Recording> recording = ParseRecording(text);
    if (recording.ok()) Compare(*recording);
    ++(recording.ok() ? judged : refused);
  }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(judged, 30u);
}

}  // namespace
}  // namespace tessera::npu
