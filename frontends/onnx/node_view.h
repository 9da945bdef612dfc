// One node of the model as import clauses see it.
#ifndef TESSERA_FRONTENDS_ONNX_NODE_VIEW_H_
#define TESSERA_FRONTENDS_ONNX_NODE_VIEW_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/attributes.h"
#include "frontends/onnx/tensor_loader.h"
#include "ir/import_node.h"
#include "ir/term_builder.h"

namespace tessera::onnx_import {

class NodeView final : public ir::ImportNode {
 public:
  struct NamedInput {
    ir::Value* value;  // null: absent
    std::string name;
  };

  // `wanted[i]`: output i has a name that something uses. `readings`, `attributes`, `loader` and
  // `builder` must outlive the view.
  NodeView(int opset, const std::set<std::string>& readings, std::vector<NamedInput> inputs,
           std::vector<bool> wanted, const Attributes& attributes, TensorLoader& loader,
           ir::TermBuilder& builder)
      : opset_(opset),
        readings_(readings),
        inputs_(std::move(inputs)),
        wanted_(std::move(wanted)),
        attributes_(attributes),
        loader_(loader),
        builder_(builder) {}

  int opset() const override { return opset_; }
  int input_count() const override { return static_cast<int>(inputs_.size()); }
  int output_count() const override { return static_cast<int>(wanted_.size()); }
  ir::Value* Input(int index) const override;
  bool Wants(int output) const override;
  bool HasAttr(std::string_view name) const override;
  std::optional<int64_t> Int(std::string_view name) override;
  std::optional<double> Float(std::string_view name) override;
  std::optional<std::string> String(std::string_view name) override;
  std::optional<std::vector<int64_t>> Ints(std::string_view name) override;
  std::optional<std::vector<double>> Floats(std::string_view name) override;
  std::optional<std::vector<std::string>> Strings(std::string_view name) override;
  std::optional<ir::DType> DTypeAttr(std::string_view name) override;
  ir::Value* TensorAttr(std::string_view name) override;
  std::vector<ir::Expr> Elements(ir::Value* input) override;
  bool DependsOnData(const ir::Value* input) const override;
  std::vector<double> Numbers(ir::Value* input) override;
  bool HasNumbers(const ir::Value* input) const override;
  bool Reads(std::string_view reading) const override;
  void Fail(std::string reason) override;
  bool failed() const override { return !failures_.empty(); }

  const std::vector<std::string>& failures() const { return failures_; }
  // The clause asked for a reading of the model that nobody chose.
  bool Missed(const std::string& reading) const { return missed_.contains(reading); }
  const std::set<std::string>& missed() const { return missed_; }

 private:
  // What an input is called in diagnostics.
  std::string InputName(const ir::Value* input) const;
  // Null if absent, or (recorded) of another type.
  const onnx::AttributeProto* Find(std::string_view name, AttributeType type);

  int opset_;
  const std::set<std::string>& readings_;
  mutable std::set<std::string> missed_;
  std::vector<NamedInput> inputs_;
  std::vector<bool> wanted_;
  const Attributes& attributes_;
  TensorLoader& loader_;
  ir::TermBuilder& builder_;
  std::vector<std::string> failures_;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_NODE_VIEW_H_
