#include "targets/vulkan/tuning/database.h"

#include <gtest/gtest.h>

#include "targets/vulkan/tuning/choose.h"

namespace tessera::vulkan {
namespace {

const DeviceName kFast = {"fast", "driver 1"}, kNewer = {"fast", "driver 2"}, kSlow = {"slow", "d"};

TEST(TuneDatabase, WhatIsWrittenIsRead) {
  TuneDatabase database;
  database.Set(kFast, "a", "H=1", 0.5);
  database.Set(kFast, "a", "H=2", 0.25);
  database.Set(kSlow, "b", "", 3);
  database.Set(kSlow, "b", "", 4);
  const auto read = TuneDatabase::Parse(database.Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->Serialize(), database.Serialize());
  EXPECT_EQ(read->size(), 3u);
  ASSERT_NE(read->Find(kFast, "a"), nullptr);
  EXPECT_EQ(read->Find(kFast, "a")->at("H=2"), 0.25);
  EXPECT_EQ(read->Find(kSlow, "b")->at(""), 4);
}

TEST(TuneDatabase, DevicesAndDriversAreNotMixed) {
  TuneDatabase database;
  database.Set(kFast, "a", "H=1", 0.5);
  EXPECT_EQ(database.Find(kNewer, "a"), nullptr);
  EXPECT_EQ(database.Find(kSlow, "a"), nullptr);
  EXPECT_EQ(database.Find(kFast, "b"), nullptr);
  EXPECT_EQ(*DeviceOf(database, ""), kFast);
  database.Set(kSlow, "a", "H=1", 0.5);
  EXPECT_FALSE(DeviceOf(database, "").ok());
  EXPECT_EQ(*DeviceOf(database, "slo"), kSlow);
  database.Set(kNewer, "a", "H=1", 0.5);
  const auto several = DeviceOf(database, "fast");
  ASSERT_FALSE(several.ok());
  EXPECT_NE(several.status().message().find("driver 2"), std::string::npos);
  EXPECT_FALSE(DeviceOf(TuneDatabase(), "").ok());
}

TEST(TuneDatabase, OtherTextIsRefused) {
  for (const char* text :
       {"x", "[]", "{}", R"({"version": 2, "records": []})", R"({"version": 1, "records": {}})",
        R"({"version": 1, "records": [1]})", R"({"version": 1, "records": [{"device": "d"}]})",
        R"({"version": 1, "records": [{"device": "d", "driver": "e", "kernel": "k", "sizes": "",
            "seconds": -1}]})"})
    EXPECT_FALSE(TuneDatabase::Parse(text).ok()) << text;
  EXPECT_TRUE(TuneDatabase::Parse("").ok());
}

}  // namespace
}  // namespace tessera::vulkan
