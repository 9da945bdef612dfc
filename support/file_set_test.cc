#include "support/file_set.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/file.h"

namespace tessera::support {
namespace {

namespace fs = std::filesystem;

class FileSets : public ::testing::Test {
 protected:
  FileSets() : folder_(::testing::TempDir() + "/file_sets") {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  std::string Text(const std::string& name) const { return ReadFile(At(name)).value_or("none"); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  using Files = std::vector<std::string>;
  const std::string folder_;
};

TEST_F(FileSets, NothingIsThereBeforeAllIs) {
  ASSERT_TRUE(WriteFile(At("a"), "old").ok());
  FileSet files;
  ASSERT_TRUE(files.Add(At("a"), "new").ok());
  ASSERT_TRUE(files.Add(At("b"), "new").ok());
  EXPECT_EQ(Text("a"), "old");
  EXPECT_EQ(Text("b"), "none");
  ASSERT_TRUE(files.Commit().ok());
  EXPECT_EQ(Text("a"), "new");
  EXPECT_EQ(Text("b"), "new");
  EXPECT_EQ(Names(), Files({"a", "b"}));
}

TEST_F(FileSets, WhatIsNotCommittedIsGone) {
  { ASSERT_TRUE(FileSet().Add(At("a"), "new").ok()); }
  EXPECT_EQ(Names(), Files());
}

TEST_F(FileSets, AFailureTakesBackWhatWasRenamed) {
  ASSERT_TRUE(WriteFile(At("a"), "old").ok());
  FileSet files;
  ASSERT_TRUE(files.Add(At("a"), "new").ok());
  ASSERT_TRUE(files.Add(At("b"), "new").ok());
  ASSERT_TRUE(files.Add(At("c"), "new").ok());
  fs::create_directory(At("c"));  // nothing can be renamed to it
  const absl::Status status = files.Commit();
  EXPECT_NE(status.message().find(At("c")), absl::string_view::npos) << status;
  EXPECT_EQ(Text("a"), "old");
  EXPECT_EQ(Names(), Files({"a", "c"}));
}

TEST_F(FileSets, WhatIsReplacedKeepsItsPermissions) {
  ASSERT_TRUE(WriteFile(At("a"), "old").ok());
  ASSERT_EQ(chmod(At("a").c_str(), 0600), 0);
  ASSERT_TRUE(WriteFile(At("a"), "new").ok());
  struct stat info;
  ASSERT_EQ(stat(At("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(Text("a"), "new");
}

// As `/dev/stdout` and what a shell makes of `>(command)` have them.
TEST_F(FileSets, APipeMayHaveANameThatLeadsToNoPath) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(WriteFile("/proc/self/fd/" + std::to_string(ends[1]), "new").ok());
  char read_back[4] = {};
  EXPECT_EQ(read(ends[0], read_back, 4), 3);
  EXPECT_STREQ(read_back, "new");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(FileSets, AFolderIsRefusedAtOnce) {
  fs::create_directory(At("a"));
  EXPECT_FALSE(FileSet().Add(At("a"), "new").ok());
  EXPECT_FALSE(FileSet().Add(At("missing/b"), "new").ok());
}

TEST_F(FileSets, LinksLeadToWhereTheyLead) {
  fs::create_directory(At("far"));
  fs::create_symlink("far/file", At("link"));  // to nothing yet
  fs::create_symlink("link", At("link_to_link"));
  ASSERT_TRUE(WriteFile(At("link_to_link"), "1").ok());
  EXPECT_EQ(Text("far/file"), "1");
  ASSERT_TRUE(WriteFile(At("link"), "2").ok());
  EXPECT_EQ(Text("far/file"), "2");
  EXPECT_TRUE(fs::is_symlink(At("link")));
  EXPECT_TRUE(fs::is_symlink(At("link_to_link")));
  fs::create_symlink("circle", At("circle"));
  EXPECT_FALSE(WriteFile(At("circle"), "x").ok());
}

// What is not killed outright leaves nothing; what is, leaves what the next one removes.
TEST_F(FileSets, OfAnotherProcess) {
  for (const bool orderly : {true, false}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      FileSet files;
      const bool added = files.Add(At("a"), "half").ok() && files.Add(At("b"), "half").ok();
      if (orderly) RemoveTemporaryFiles();
      if (!added) _exit(1);
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(Names().size(), orderly ? 0u : 2u);
  }
  FileSet running;
  ASSERT_TRUE(running.Add(At("c"), "of one that still runs").ok());
  FileSet files;
  ASSERT_TRUE(files.Add(At("a"), "whole").ok());
  ASSERT_TRUE(files.Commit().ok());
  EXPECT_EQ(Names().size(), 2u);
  ASSERT_TRUE(running.Commit().ok());
  EXPECT_EQ(Names(), Files({"a", "c"}));
}

}  // namespace
}  // namespace tessera::support
