#include "targets/npu/program/memory_use.h"

#include "gtest/gtest.h"

namespace tessera::npu {

bool operator==(const MemoryUse& a, const MemoryUse& b) {
  return a.name == b.name && a.first == b.first && a.last == b.last && a.offset == b.offset &&
         a.size == b.size;
}
void PrintTo(const MemoryUse& use, std::ostream* out) {
  *out << use.name << " " << use.first << ".." << use.last << " at " << use.offset << " of "
       << use.size;
}

namespace {

// A copy of `count` numbers.
ProgramOperation Copy(const char* name, Address from, Address to, int64_t count) {
  ProgramOperation operation;
  operation.note.name = name;
  for (const Address& address : {from, to}) {
    ProgramOperand operand;
    operand.mode = Mode::kDefault;
    operand.shape = {1, count};
    operand.type = DataType::kInt16;
    operand.address = address;
    operation.operands.push_back(operand);
  }
  return operation;
}

Address Scratch(int64_t offset) { return {RegionKind::kScratch, offset}; }

TEST(MemoryUses, LastFromTheWriteToTheLastRead) {
  Program program;
  program.region(RegionKind::kInput).size = 64;
  program.region(RegionKind::kScratch).size = 64;
  program.region(RegionKind::kOutput).size = 64;
  program.inputs = {{"x", {16}, DataType::kInt16, {RegionKind::kInput, 0}, 1}};
  program.outputs = {{"y", {32}, DataType::kInt16, {RegionKind::kOutput, 0}, 1}};
  program.operations = {
      Copy("a", {RegionKind::kInput, 0}, Scratch(0), 16),
      Copy("b", Scratch(0), Scratch(32), 16),
      // Reads both, and takes their place with the next one.
      Copy("c", Scratch(0), {RegionKind::kOutput, 0}, 32),
      Copy("d", {RegionKind::kInput, 0}, Scratch(0), 32),
  };
  EXPECT_EQ(MemoryUses(program, RegionKind::kScratch),
            (std::vector<MemoryUse>{{"a", 0, 2, 0, 32}, {"b", 1, 2, 32, 32}, {"d", 3, 3, 0, 64}}));
  EXPECT_EQ(MemoryUses(program, RegionKind::kInput), (std::vector<MemoryUse>{{"x", 0, 3, 0, 32}}));
  EXPECT_EQ(MemoryUses(program, RegionKind::kOutput), (std::vector<MemoryUse>{{"c", 2, 3, 0, 64}}));
}

TEST(MemoryUses, StatesLastToTheNextRun) {
  Program program;
  program.region(RegionKind::kState).size = 32;
  program.region(RegionKind::kScratch).size = 32;
  program.operations = {Copy("a", {RegionKind::kState, 0}, Scratch(0), 16),
                        Copy("b", Scratch(0), Scratch(0), 16),
                        Copy("kept", Scratch(0), {RegionKind::kState, 0}, 16)};
  EXPECT_EQ(MemoryUses(program, RegionKind::kState),
            (std::vector<MemoryUse>{{"read by a", 0, 2, 0, 32}, {"kept", 2, 2, 0, 32}}));
  EXPECT_EQ(MemoryUses(program, RegionKind::kScratch),
            (std::vector<MemoryUse>{{"a", 0, 1, 0, 32}, {"b", 1, 2, 0, 32}}));
}

}  // namespace
}  // namespace tessera::npu
