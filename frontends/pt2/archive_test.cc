// Archives and pickles that mean harm, or are damaged: an error that says what, and nothing else.
#include "frontends/pt2/archive.h"

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/pt2/archive_writer.h"
#include "frontends/pt2/pickle.h"
#include "gtest/gtest.h"

namespace tessera::pt2_import {
namespace {

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string OpenError(const std::string& bytes) {
  const absl::StatusOr<Archive> archive = Archive::Open(BytesOf(bytes));
  return archive.ok() ? "" : std::string(archive.status().message());
}

TEST(ArchiveTest, EntriesAreRangesOfTheFile) {
  const std::string bytes = WriteArchive({{"model/a", "one"}, {"model/b", ""}});
  const absl::StatusOr<Archive> archive = Archive::Open(BytesOf(bytes));
  ASSERT_TRUE(archive.ok()) << archive.status();
  const auto a = archive->Read("model/a");
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(std::string(a->begin(), a->end()), "one");
  EXPECT_TRUE(archive->Read("model/b")->empty());
  EXPECT_EQ(archive->Read("model/c").status().message(), "there is no entry `model/c`");
  EXPECT_EQ(archive->FolderOf("/b"), "model");
}

TEST(ArchiveTest, NamesStayWithinTheArchive) {
  for (const char* name : {"../x", "a/../../x", "/etc/passwd", "a\\..\\x", ""}) {
    EXPECT_EQ(OpenError(WriteArchive({{"good", "1"}, {name, "2"}})),
              "entry 1 of the directory has a name that leaves the archive")
        << name;
  }
  EXPECT_EQ(OpenError(WriteArchive({{"a", "1"}, {"a", "2"}})), "two entries `a`");
}

// Few bytes that pretend to be many: nothing is inflated, and no byte belongs to two entries.
TEST(ArchiveTest, BombsAreRefused) {
  const std::string deflated =
      WriteArchive({{.name = "a", .bytes = "xy", .method = 8, .stored = 2, .size = 0xfffffff0}});
  const absl::StatusOr<Archive> archive = Archive::Open(BytesOf(deflated));
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ(archive->Read("a").status().message(),
            "entry `a` is compressed; torch.export.save stores its entries (`zip -0` does so too)");
  EXPECT_EQ(OpenError(WriteArchive({{"a", "one"}, {.name = "b", .bytes = "two", .at = 0}})),
            "entries overlap");
  EXPECT_EQ(OpenError(WriteArchive({{.name = "a", .bytes = "one", .stored = 1u << 30}})),
            "entry `a` leaves the file");
  EXPECT_EQ(OpenError(WriteArchive({{.name = "a", .bytes = "one", .at = 1u << 30}})),
            "entry `a` is not where the directory says");
}

TEST(ArchiveTest, EveryTruncationIsTold) {
  const std::string bytes = WriteArchive({{"model/a", "one"}, {"model/b", "two"}});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(OpenError(bytes.substr(0, size)), "") << size;
}

std::string PickleError(const std::string& pickle) {
  const auto tensors = ReadPickledTensors(BytesOf(pickle));
  return tensors.ok() ? "" : std::string(tensors.status().message());
}

TEST(PickleTest, NothingIsExecuted) {
  EXPECT_EQ(PickleError("\x80\x02"
                        "cos\nsystem\n(X\x04\x00\x00\x00true\x85R."),
            "the pickle names `os system`, which is nothing that a tensor is made of; nothing of a "
            "pickle is ever executed");
  EXPECT_EQ(PickleError("\x80\x04\x8c\x08"
                        "builtins\x8c\x04"
                        "eval\x93."),
            "the pickle names `builtins eval`, which is nothing that a tensor is made of; nothing "
            "of a pickle is ever executed");
  // Instances, and what `__setstate__` would get.
  EXPECT_EQ(PickleError("(ios\nsystem\n."),
            "the pickle has opcode 105, which no dictionary of tensors needs");
  EXPECT_EQ(PickleError("\x80\x02}\x81."),
            "the pickle has opcode 129, which no dictionary of tensors needs");
}

// `{"t": tensor}` of two complex numbers as torch.save pickles it; `metadata`: behind the hooks.
std::string ComplexPickle(const std::string& metadata) {
  const std::string zero(1, '\0');
  const auto text = [&](const std::string& name) {
    return "X" + std::string(1, static_cast<char>(name.size())) + zero + zero + zero + name;
  };
  return "\x80\x02}" + text("t") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") +
         "ctorch\nComplexFloatStorage\n" + text("0") + text("cpu") + "K\x02tQK" + zero +
         "K\x02\x85K\x01\x85\x89" + "ccollections\nOrderedDict\n)R" + metadata + "tRs.";
}

TEST(PickleTest, ComplexNumbersAreTwo) {
  const auto tensors = ReadPickledTensors(BytesOf(ComplexPickle("")));
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  const PickledTensor& tensor = tensors->at("t");
  EXPECT_EQ(tensor.dtype, ir::DType::kF32);
  EXPECT_TRUE(tensor.complex);
  EXPECT_EQ(tensor.sizes, std::vector<int64_t>{2});
  // What is stored may be the conjugates.
  EXPECT_EQ(PickleError(ComplexPickle(std::string("}X\x04\0\0\0conj\x88s", 12))),
            "the pickle has a tensor whose elements are not as they are stored");
}

TEST(PickleTest, EndsAreTold) {
  EXPECT_EQ(PickleError(""), "the pickle is cut off");
  EXPECT_EQ(PickleError("\x80\x02}"), "the pickle is cut off");
  EXPECT_EQ(PickleError("."), "the pickle ends in its middle");
  EXPECT_EQ(PickleError("N."), "the pickle holds no dictionary");
  EXPECT_EQ(PickleError("}X\xff\xff\xff\x7f"), "the pickle is cut off");
  EXPECT_EQ(PickleError("R."), "the pickle takes a value that is not there");
  EXPECT_EQ(PickleError(std::string(100, ')') + std::string(100, '\x85') + "."),
            "the pickle nests tuples too deeply");
  EXPECT_EQ(PickleError("}."), "");
}

}  // namespace
}  // namespace tessera::pt2_import
