// The examples of definitions as data for the generated tests.
#ifndef TESSERA_CODEGEN_SUPPORT_EXAMPLES_H_
#define TESSERA_CODEGEN_SUPPORT_EXAMPLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/attribute.h"
#include "ir/dtype.h"

namespace tessera::ops {

struct Literal {
  bool present = true;
  bool random = false;  // seeded values of `shape`
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

struct Example {
  int line = 0;  // in the definition file
  bool reject = false;
  std::string constraint;  // that refuses it
  std::vector<Literal> operands;
  std::vector<ir::Attribute> attrs;  // in declaration order; absent ones are monostate
  std::vector<Literal> results;      // empty: not stated
  double tolerance = 1e-5;
};

// The left side of a rewrite, to be built as a graph.
struct Pattern {
  enum Kind { kName, kPack, kBlank, kNumber, kOp } kind = kBlank;
  std::string text;     // name or op
  std::string dialect;  // of an op
  std::string bound;    // `op(...):name`
  double number = 0;
  bool optional = false;
  std::vector<Pattern> operands;
  std::vector<std::pair<int, std::string>> attr_names;       // attribute index, bound name
  std::vector<std::pair<int, ir::Attribute>> attr_literals;  // attribute index, value
};

struct RewriteExample {
  std::string rewrite;
  int line = 0;
  Pattern pattern;
  std::vector<std::pair<std::string, std::vector<Literal>>> operands;  // a pack has several
  std::vector<std::pair<std::string, ir::Attribute>> attrs;
};

struct OpExamples {
  std::string dialect, op, file;
  bool builder = false;
  std::vector<Example> examples;
  std::vector<RewriteExample> rewrites;
  std::vector<RewriteExample> keeps;  // left sides that a rewrite leaves as they are
};

// From what opgen writes of each definition, in JSON (codegen/example_emitter.cc).
std::vector<OpExamples> ReadExamples(const std::vector<std::string_view>& definitions);

}  // namespace tessera::ops

#endif  // TESSERA_CODEGEN_SUPPORT_EXAMPLES_H_
