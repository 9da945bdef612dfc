#include "tools/cli/file_roles.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

class Roles : public ::testing::Test {
 protected:
  Roles() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "sub");
    fs::current_path(folder_);
    std::ofstream("model") << "m";
    fs::create_hard_link("model", "hard");
    fs::create_symlink("../model", "sub/soft");
    fs::create_symlink("new", "to_new");
    fs::create_directory_symlink("sub", "folder");
  }
  const fs::path folder_ = fs::path(::testing::TempDir()) / "roles";
};

TEST_F(Roles, WhatIsReadIsNotWritten) {
  for (const char* name : {"model", "./model", "sub/../model", "hard", "sub/soft", "folder/soft"}) {
    FileRoles roles;
    ASSERT_TRUE(roles.Reads("the model", "model").ok());
    EXPECT_EQ(roles.Writes("`--output`", name).message(),
              std::string("`") + name + "` is the model, which `--output` would overwrite");
  }
  FileRoles roles;
  ASSERT_TRUE(roles.Writes("`--output`", folder_ / "model").ok());
  EXPECT_FALSE(roles.Reads("the model's data", "sub/soft").ok());
}

TEST_F(Roles, NoFileIsWrittenTwice) {
  const char* const same[][2] = {
      {"new", "./new"}, {"new", "to_new"}, {"sub/new", "folder/new"}, {"model", "hard"}};
  for (const auto& [one, other] : same) {
    FileRoles roles;
    ASSERT_TRUE(roles.Writes("`--output`", one).ok());
    EXPECT_EQ(roles.Writes("`--emit-ir`", other).message(),
              std::string("`") + other + "` is both `--output` and `--emit-ir`");
  }
}

TEST_F(Roles, SamplesOfAFolderAreNotWritten) {
  fs::create_directories("sub/test_data_set_0");
  fs::create_directories("sub/elsewhere");
  for (const char* name :
       {"sub/a.npy", "sub/model.onnx", "sub/test_data_set_0/input_0.pb", "sub/elsewhere/b.npy"})
    std::ofstream(name) << "s";
  const auto written = [](const char* name) {
    FileRoles before, after;
    const bool read_first = before.ReadsSamples("a sample", "folder").ok();
    const bool wrote_first = after.Writes("the model", name).ok();
    EXPECT_TRUE(read_first && wrote_first);
    const absl::Status status = before.Writes("the model", name);
    EXPECT_EQ(status.ok(), after.ReadsSamples("a sample", "sub").ok()) << name;
    return status.ok();
  };
  EXPECT_FALSE(written("sub/a.npy"));
  EXPECT_FALSE(written("sub/test_data_set_0/input_0.pb"));
  // What else lies there is not read.
  EXPECT_TRUE(written("sub/model.onnx"));
  EXPECT_TRUE(written("sub/elsewhere/b.npy"));
  EXPECT_TRUE(written("sub/new.npy"));
  EXPECT_TRUE(FileRoles().ReadsSamples("a sample", "missing").ok());
}

TEST_F(Roles, OthersAreLeftAlone) {
  FileRoles roles;
  EXPECT_TRUE(roles.Reads("the model", "model").ok());
  EXPECT_TRUE(roles.Reads("the configuration", "hard").ok());
  EXPECT_TRUE(roles.Writes("`--output`", "new").ok());
  EXPECT_TRUE(roles.Writes("`--emit-ir`", "sub/new").ok());
  EXPECT_TRUE(roles.Writes("the certificate", "/dev/null").ok());
  EXPECT_TRUE(roles.Writes("the log", "/dev/null").ok());
  EXPECT_TRUE(roles.Writes("the report", "missing/new").ok());
}

}  // namespace
}  // namespace tessera::cli
