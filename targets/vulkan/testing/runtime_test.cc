// The runtime by its C API, on a model that was compiled for every size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/file.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/lifetimes.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {
namespace {

constexpr char kModel[] = "targets/vulkan/testing/unet.tvk";

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using DevicePtr = std::unique_ptr<tvk_device, Freed<tvk_device, tvk_device_close>>;
using ModelPtr = std::unique_ptr<tvk_model, Freed<tvk_model, tvk_model_unload>>;
using SessionPtr = std::unique_ptr<tvk_session, Freed<tvk_session, tvk_session_destroy>>;

std::vector<uint8_t> Bytes() {
  const std::string text = *support::ReadFile(kModel);
  return {text.begin(), text.end()};
}

struct Loaded {
  DevicePtr device;
  ModelPtr model;
};

Loaded Load(int always_stage = 0) {
  tvk_error error = {};
  tvk_device_options options = {};
  options.always_stage = always_stage;
  Loaded loaded;
  loaded.device.reset(tvk_device_open(&options, &error));
  EXPECT_NE(loaded.device, nullptr) << error.message;
  const std::vector<uint8_t> bytes = Bytes();
  loaded.model.reset(
      tvk_model_load(loaded.device.get(), bytes.data(), bytes.size(), nullptr, 0, &error));
  EXPECT_NE(loaded.model, nullptr) << error.message;
  return loaded;
}

SessionPtr Open(const Loaded& loaded, std::vector<int64_t> shape) {
  tvk_error error = {};
  const int64_t* shapes[] = {shape.data()};
  SessionPtr session(tvk_session_create(loaded.model.get(), shapes, &error));
  EXPECT_NE(session, nullptr) << error.message;
  return session;
}

std::vector<float> Values(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> all(count);
  for (float& value : all) value = values(random);
  return all;
}

std::vector<float> RunOnce(tvk_session* session, uint32_t seed) {
  const std::vector<float> input =
      Values(tvk_session_input_bytes(session, 0) / sizeof(float), seed);
  std::vector<float> output(tvk_session_output_bytes(session, 0) / sizeof(float));
  const void* inputs[] = {input.data()};
  void* outputs[] = {output.data()};
  tvk_error error = {};
  EXPECT_EQ(tvk_session_run(session, inputs, outputs, &error), TVK_OK) << error.message;
  return output;
}

// Pipelines of one size compute the same bits, are made with the session, and are kept.
TEST(Runtime, SpecializesASession) {
  const Loaded loaded = Load();
  for (std::vector<int64_t> shape : {std::vector<int64_t>{1, 3, 37, 50}, {2, 3, 16, 16}}) {
    const SessionPtr general = Open(loaded, shape);
    const uint64_t before = tvk_device_counters(loaded.device.get()).pipelines;
    tvk_error error = {};
    const int64_t* shapes[] = {shape.data()};
    const SessionPtr own(tvk_session_create_specialized(loaded.model.get(), shapes, &error));
    ASSERT_NE(own, nullptr) << error.message;
    const uint64_t made = tvk_device_counters(loaded.device.get()).pipelines;
    EXPECT_GT(made, before);
    const std::vector<float> expected = RunOnce(general.get(), 7), first = RunOnce(own.get(), 7);
    ASSERT_EQ(expected.size(), first.size());
    EXPECT_EQ(std::memcmp(expected.data(), first.data(), expected.size() * sizeof(float)), 0);
    EXPECT_EQ(RunOnce(own.get(), 7), first);
    EXPECT_EQ(tvk_device_counters(loaded.device.get()).pipelines, made);
  }
}

TEST(Runtime, SaysWhatAModelTakes) {
  const Loaded loaded = Load();
  ASSERT_EQ(tvk_model_input_count(loaded.model.get()), 1u);
  ASSERT_EQ(tvk_model_output_count(loaded.model.get()), 1u);
  const tvk_tensor_info input = tvk_model_input(loaded.model.get(), 0);
  EXPECT_STREQ(input.name, "input");
  EXPECT_EQ(input.dtype, TVK_F32);
  EXPECT_EQ(input.rank, 4u);
  EXPECT_EQ(tvk_model_input_dim(loaded.model.get(), 0, 1), 3);
  EXPECT_EQ(tvk_model_input_dim(loaded.model.get(), 0, 2), -1);
  EXPECT_STREQ(tvk_model_output(loaded.model.get(), 0).name, "output");
}

TEST(Runtime, SaysNothingOfWhatThereIsNot) {
  const Loaded loaded = Load();
  const tvk_model* const model = loaded.model.get();
  for (const tvk_tensor_info info : {tvk_model_input(model, 1), tvk_model_output(model, 7)}) {
    EXPECT_EQ(info.name, nullptr);
    EXPECT_EQ(info.rank, 0u);
  }
  EXPECT_EQ(tvk_model_input_dim(model, 1, 0), -1);
  EXPECT_EQ(tvk_model_input_dim(model, 0, 4), -1);
  const SessionPtr session = Open(loaded, {1, 3, 8, 9});
  EXPECT_EQ(tvk_session_output_dim(session.get(), 1, 0), -1);
  EXPECT_EQ(tvk_session_output_dim(session.get(), 0, 4), -1);
  EXPECT_EQ(tvk_session_input_bytes(session.get(), 1), 0u);
  EXPECT_EQ(tvk_session_output_bytes(session.get(), 1), 0u);
  EXPECT_EQ(tvk_session_input_offset(session.get(), 1), 0u);
  EXPECT_EQ(tvk_session_output_offset(session.get(), 1), 0u);
  const tvk_dispatch_info none =
      tvk_session_dispatch(session.get(), tvk_session_dispatch_count(session.get()));
  EXPECT_EQ(none.name, nullptr);
  EXPECT_EQ(none.location, nullptr);
  EXPECT_EQ(none.invocations, 0);
  EXPECT_EQ(none.flops, -1);
}

// What a session needs it has before it is run.
TEST(Runtime, RunsCostNothingTwice) {
  const Loaded loaded = Load();
  const SessionPtr session = Open(loaded, {1, 3, 20, 31});
  const tvk_counters before = tvk_device_counters(loaded.device.get());
  EXPECT_GT(before.allocations, 0u);
  EXPECT_GT(before.pipelines, 0u);
  EXPECT_EQ(before.recordings, 1u);
  const std::vector<float> first = RunOnce(session.get(), 1), second = RunOnce(session.get(), 2);
  const tvk_counters after = tvk_device_counters(loaded.device.get());
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.pipelines, before.pipelines);
  EXPECT_EQ(after.recordings, before.recordings);
  EXPECT_EQ(after.submissions, before.submissions + 2);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, RunOnce(session.get(), 1));
}

TEST(Runtime, SessionsOfSeveralSizesLiveTogether) {
  const Loaded loaded = Load();
  const SessionPtr large = Open(loaded, {1, 3, 33, 40}), small = Open(loaded, {2, 3, 1, 5});
  const std::vector<float> first = RunOnce(large.get(), 3);
  RunOnce(small.get(), 4);
  EXPECT_EQ(first, RunOnce(large.get(), 3));
  EXPECT_EQ(tvk_session_output_dim(small.get(), 0, 0), 2);
  EXPECT_EQ(tvk_session_output_dim(small.get(), 0, 3), 5);
  EXPECT_LT(tvk_session_arena_bytes(small.get()), tvk_session_arena_bytes(large.get()));
}

// Several at one time, finished in another order than they were begun in.
TEST(Runtime, RunsOfSeveralSessionsAreUnderWayTogether) {
  const Loaded loaded = Load();
  std::vector<SessionPtr> sessions;
  std::vector<std::vector<float>> expected, sources, results;
  for (uint32_t i = 0; i < 4; ++i) {
    sessions.push_back(Open(loaded, {1, 3, 9 + i, 14 - i}));
    expected.push_back(RunOnce(sessions[i].get(), i));
    sources.push_back(Values(tvk_session_input_bytes(sessions[i].get(), 0) / sizeof(float), i));
    results.emplace_back(expected[i].size());
  }
  tvk_error error = {};
  void* nowhere[] = {nullptr};
  EXPECT_EQ(tvk_session_finish(sessions[0].get(), nowhere, &error), TVK_INVALID_ARGUMENT);
  for (uint32_t i = 0; i < 4; ++i) {
    const void* inputs[] = {sources[i].data()};
    ASSERT_EQ(tvk_session_begin(sessions[i].get(), inputs, &error), TVK_OK) << error.message;
    EXPECT_EQ(tvk_session_begin(sessions[i].get(), inputs, &error), TVK_INVALID_ARGUMENT);
    std::fill(sources[i].begin(), sources[i].end(), 0.0f);  // it has been copied
  }
  for (const uint32_t i : {2u, 0u, 3u}) {
    void* outputs[] = {results[i].data()};
    ASSERT_EQ(tvk_session_finish(sessions[i].get(), outputs, &error), TVK_OK) << error.message;
    EXPECT_EQ(results[i], expected[i]);
  }
  sessions.clear();  // one is under way still
}

// As on devices whose memory the host does not see.
TEST(Runtime, StagedCopiesGiveTheSame) {
  const Loaded mapped = Load(), staged = Load(1);
  const SessionPtr a = Open(mapped, {1, 3, 17, 12}), b = Open(staged, {1, 3, 17, 12});
  EXPECT_EQ(RunOnce(a.get(), 5), RunOnce(b.get(), 5));
}

TEST(Runtime, PipelineCachesAreTakenAndAnythingElseDoesNoHarm) {
  const Loaded loaded = Load();
  tvk_error error = {};
  size_t size = 0;
  ASSERT_EQ(tvk_model_cache(loaded.model.get(), nullptr, &size, &error), TVK_OK) << error.message;
  std::vector<uint8_t> cache(size);
  ASSERT_EQ(tvk_model_cache(loaded.model.get(), cache.data(), &size, &error), TVK_OK);
  const std::vector<uint8_t> bytes = Bytes();
  ASSERT_GE(cache.size(), 32U);
  std::vector<uint8_t> of_another = cache;  // driver, by its UUID
  of_another[16] ^= 1;
  of_another.resize(1000, 7);
  for (const std::vector<uint8_t>& given :
       {cache, of_another, std::vector<uint8_t>(100, 7), std::vector<uint8_t>(5, 32)}) {
    const ModelPtr again(tvk_model_load(loaded.device.get(), bytes.data(), bytes.size(),
                                        given.data(), given.size(), &error));
    EXPECT_NE(again, nullptr) << error.message;
  }
}

TEST(Runtime, SizesThatAreNotAdmittedAreRefused) {
  const Loaded loaded = Load();
  const auto refused = [&](std::vector<int64_t> shape, const char* text) {
    tvk_error error = {};
    const int64_t* shapes[] = {shape.data()};
    const SessionPtr session(tvk_session_create(loaded.model.get(), shapes, &error));
    EXPECT_EQ(session, nullptr);
    EXPECT_NE(std::string(error.message).find(text), std::string::npos) << error.message;
  };
  refused({1, 4, 8, 8}, "axis 1: the size is 4, the model has 3");
  refused({1, 3, 0, 8}, "`H` is 0, declared is 1..");
  refused({1, 3, -5, 8}, "axis 2: the size is -5");
  refused({1, 3, 30000, 30000}, "bytes");
  // What lies between operations has no name: they have.
  refused({1, 3, 3000, 3000},
          "` writes it. Less lies between operations with `compile --prefer=memory`");
  refused({1 << 30, 3, 1 << 30, 1 << 30}, "");
}

// Each of its own, and the driver loaded once.
TEST(Runtime, DevicesAreOpenedAgainAndAgain) {
  for (int i = 0; i < 50; ++i) {
    tvk_error error;
    tvk_device* const device = tvk_device_open(nullptr, &error);
    ASSERT_NE(device, nullptr) << error.message;
    tvk_device_close(device);
  }
}

TEST(Runtime, ThereIsNoDeviceOfThatName) {
  tvk_error error = {};
  tvk_device_options options = {};
  options.name = "no such device";
  EXPECT_EQ(tvk_device_open(&options, &error), nullptr);
  EXPECT_EQ(error.code, TVK_NO_DEVICE);
  EXPECT_NE(std::string(error.message).find("no such device"), std::string::npos) << error.message;
}

// Edits of a file: none crashes, each is told.
std::vector<uint8_t> Edited(std::vector<uint8_t> bytes, std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  switch (random() % 4) {
    case 0:
      bytes.resize(below(bytes.size()));
      break;
    case 1:
      for (int i = 0; i < 16; ++i) bytes[below(bytes.size())] = static_cast<uint8_t>(random());
      break;
    case 2:
      bytes[below(bytes.size())] ^= static_cast<uint8_t>(1 + random() % 255);
      break;
    default:
      // Where the tables are: what is written last lies in front.
      bytes[below(std::min<size_t>(bytes.size(), 20000))] ^= 0xFF;
      break;
  }
  return bytes;
}

TEST(Lifetimes, WhatSharesBytesWhileInUseIsFound) {
  const Held a{0, 0, 2, 0, 512}, b{1, 2, 3, 256, 256}, later{2, 3, 4, 0, 512},
      above{3, 0, 9, 512, 256};
  EXPECT_TRUE(FindOverlap({a, b}).has_value());
  EXPECT_TRUE(FindOverlap({b, above, a}).has_value());
  EXPECT_TRUE(FindOverlap({b, later}).has_value());
  EXPECT_FALSE(FindOverlap({a, later, above}).has_value());
  EXPECT_FALSE(FindOverlap({a, {4, 1, 1, 128, 0}}).has_value());
}

TEST(Damage, IsFound) {
  const Loaded loaded = Load();
  const std::vector<uint8_t> bytes = Bytes();
  std::mt19937 random(11);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<uint8_t> edited = Edited(bytes, random);
    if (edited == bytes) continue;
    tvk_error error = {};
    const ModelPtr model(
        tvk_model_load(loaded.device.get(), edited.data(), edited.size(), nullptr, 0, &error));
    EXPECT_EQ(model, nullptr) << i;
    EXPECT_EQ(error.code, TVK_INVALID_FILE) << i;
    EXPECT_NE(std::string(error.message), "") << i;
  }
}

// The same with a checksum that fits: what is read of the file is looked at by itself.
TEST(Damage, WithTheRightChecksumIsReadSafely) {
  const std::vector<uint8_t> bytes = Bytes();
  std::mt19937 random(12);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<uint8_t> edited = Edited(bytes, random);
    edited.resize(edited.size() / 8 * 8);
    if (edited.size() < 64) continue;
    const size_t body = edited.size() - kTrailerBytes;
    const uint64_t crc = Crc64({edited.data(), body});
    std::memcpy(edited.data() + body, kTrailerTag, 8);
    std::memcpy(edited.data() + body + 8, &crc, sizeof crc);
    const file::Model* model = nullptr;
    const Status status = ReadArtifact({edited.data(), edited.size()}, model);
    refused += status.ok() ? 0 : 1;
    EXPECT_EQ(status.ok(), status.message().empty());
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace tessera::vulkan
