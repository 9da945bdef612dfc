// One node of an exported program as import clauses for ATen see it: arguments by name.
#ifndef TESSERA_FRONTENDS_PT2_NODE_VIEW_H_
#define TESSERA_FRONTENDS_PT2_NODE_VIEW_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/pt2/program.h"
#include "ir/aten.h"
#include "ir/import_node.h"
#include "ir/term_builder.h"

namespace tessera::pt2_import {

// What a name of the program stands for.
struct Numbers {
  ir::Value* real = nullptr;       // null: could not be imported
  ir::Value* imaginary = nullptr;  // null: the numbers are not complex
  bool complex() const { return imaginary != nullptr; }
  bool operator==(const Numbers&) const = default;
};
using Values = std::map<std::string, Numbers>;

enum class Part : uint8_t { kReal, kImaginary };

// Whether an argument's entry is complex.
bool IsComplex(const Item& item, const Values& values);
// The entries that are, in the order of the node.
std::vector<const Item*> ComplexItems(const Node& node, const Values& values);

// What the program says of the memory that a node's first argument lies in.
struct Placement {
  std::optional<std::vector<int64_t>> strides;  // nullopt: of a part of other memory, or not known
  // It may begin behind the beginning of its memory, and the program asks where.
  bool inside = false;
};

// What the program says of a node's first result.
struct ResultFacts {
  std::optional<int64_t> type;  // a ScalarType
  std::optional<int64_t> most;  // of a number that is never negative
};

class NodeView final : public ir::ImportNode {
 public:
  // All must outlive the view. `wanted[i]`: something uses output i. `result`: what the program
  // says of the first one. `placement`: what it says of the first argument's. Of `imaginary`,
  // entries of arguments, the imaginary parts are seen, of other complex ones the real parts;
  // clauses that name both see both.
  NodeView(const Node& node, const ir::AtenInfo& info, const Values& values,
           std::vector<const Item*> imaginary, std::vector<bool> wanted, ResultFacts result,
           Placement placement, ir::TermBuilder& builder);

  int opset() const override { return 0; }
  int input_count() const override { return static_cast<int>(inputs_.size()); }
  int output_count() const override { return static_cast<int>(wanted_.size()); }
  ir::Value* Input(int index) const override;
  bool Wants(int output) const override;
  bool HasAttr(std::string_view name) const override;
  // Also of what is no argument: `inside`, 1 where a result would be a place in memory that is not
  // known; `most`, of ResultFacts.
  std::optional<int64_t> Int(std::string_view name) override;
  std::optional<double> Float(std::string_view name) override;
  std::optional<std::string> String(std::string_view name) override;
  // Also of `strides`, no argument: how the first argument lies in memory.
  std::optional<std::vector<int64_t>> Ints(std::string_view name) override;
  std::optional<std::vector<double>> Floats(std::string_view name) override;
  std::optional<std::vector<std::string>> Strings(std::string_view name) override;
  // Also of `result`, no argument: what the program states of the node's first result.
  std::optional<ir::DType> DTypeAttr(std::string_view name) override;
  ir::Value* TensorAttr(std::string_view name) override;
  std::vector<ir::Expr> Elements(ir::Value* input) override;
  bool DependsOnData(const ir::Value* input) const override;
  std::vector<double> Numbers(ir::Value* input) override;
  bool HasNumbers(const ir::Value* input) const override;
  bool Reads(std::string_view) const override { return false; }
  void Fail(std::string reason) override;
  bool failed() const override { return !failures_.empty(); }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const Argument* Find(std::string_view name) const;  // null: absent, or None
  // A whole number of an argument; nullopt (recorded): it is none that is known now.
  std::optional<int64_t> IntOf(const Argument& argument, const Item& item);
  std::optional<double> FloatOf(const Argument& argument, const Item& item);
  // An entry, if it is a number as a tensor without axes; of a complex one the part that is seen.
  ir::Value* ValueOf(const Item& item);
  ir::Value* PartOf(const Item& item, Part part);  // null: the imaginary part of a real number
  ir::Value* ListOf(const Argument& argument);     // one of rank 1
  std::string InputName(const ir::Value* input) const;

  const Node& node_;
  const Values& values_;
  const std::vector<const Item*> imaginary_;
  const bool complex_;  // the clause is one for complex numbers too
  std::vector<ir::Value*> inputs_;
  std::vector<std::string> names_;  // of the inputs
  std::vector<bool> wanted_;
  ResultFacts result_;
  Placement placement_;
  ir::TermBuilder& builder_;
  std::vector<std::string> failures_;
};

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_NODE_VIEW_H_
