#include "recheck/artifact_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recheck/definitions.h"
#include "recheck/interpreter.h"
#include "recheck/printed_size.h"

namespace tessera::recheck {

using codegen::AttributeDecl;
using codegen::Op;

TensorPtr ArtifactReader::ConstantOf(const Artifact::Tensor& tensor) {
  auto constant = std::make_shared<Tensor>();
  constant->dtype = tensor.type;
  for (const int64_t dim : tensor.shape) constant->dims.push_back(terms_.Integer(dim));
  if (!tensor.integers) {
    // Of floats nobody asks.
    if (tensor.type[0] != 'f') constant->unread = "a large constant of integers";
    return constant;
  }
  constant->has_elements = constant->has_numbers = true;
  for (const int64_t value : *tensor.integers) {
    constant->elements.push_back(terms_.Integer(value));
    constant->numbers.push_back(static_cast<double>(value));
  }
  return constant;
}

std::optional<Value> ArtifactReader::AttributeOf(const Artifact::Option& option,
                                                 const AttributeDecl& declaration) {
  const auto integers = [&](const auto& list, auto make) {
    std::vector<Value> items;
    for (const auto v : list) items.push_back(make(v));
    return Value::List(std::move(items));
  };
  if (const auto* v = std::get_if<bool>(&option)) return Value::Int(terms_.Integer(*v ? 1 : 0));
  if (const auto* v = std::get_if<int64_t>(&option)) return Value::Int(terms_.Integer(*v));
  if (const auto* v = std::get_if<double>(&option)) return Value::Float(*v);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&option))
    return integers(*v, [&](int64_t i) { return Value::Int(terms_.Integer(i)); });
  if (const auto* v = std::get_if<std::vector<double>>(&option))
    return integers(*v, [&](double f) { return Value::Float(f); });
  const std::string& text = std::get<std::string>(option);
  if (declaration.kind == "dtype") {
    const auto type = artifact_.types.find(text);
    if (type == artifact_.types.end()) return std::nullopt;
    return Value::DType(type->second);
  }
  const std::vector<std::string>& names = declaration.enum_names;
  if (std::find(names.begin(), names.end(), text) == names.end()) return std::nullopt;
  return Value::Text(text);
}

// A dim that is the same at all sizes that were tried, if there is one, takes its place, and that
// it is equal is owed: so no statement repeats how sizes came about.
Dim ArtifactReader::Shortened(const NodeContext& node, Dim dim) {
  if (terms_.Number(dim)) return dim;
  const auto [it, fresh] = shortest_.try_emplace(session_.FingerprintOf(dim), dim);
  if (it->second == dim || !session_.SameWhereAdmitted(dim, it->second)) return dim;
  session_.Require({node.name,
                    node.op,
                    "equal.normal",
                    terms_.Make(Operator::kEq, dim, it->second),
                    {},
                    Requirement::kDue});
  return it->second;
}

void ArtifactReader::Inputs() {
  std::map<std::string, const certificate::ListedTensor*> listed;
  for (const auto& tensor : session_.certificate().inputs) {
    listed[tensor.name] = &tensor;
    for (const Dim dim : session_.Listed(tensor)->dims)
      if (!terms_.Number(dim)) shortest_.try_emplace(session_.FingerprintOf(dim), dim);
  }
  // Those of the network's own tensors are there in their shortest form already.
  for (const auto& operation : session_.certificate().operations) {
    for (const auto& tensor : operation.results) {
      for (const Dim dim : session_.Listed(tensor)->dims)
        if (!terms_.Number(dim)) shortest_.try_emplace(session_.FingerprintOf(dim), dim);
    }
  }
  if (listed.size() != artifact_.inputs.size())
    session_.Fail(absl::StrCat("the artifact has ", artifact_.inputs.size(),
                               " inputs, the certificate lists ", listed.size()));
  for (const Artifact::Argument& input : artifact_.inputs) {
    const auto fail = [&](const std::string& what) {
      session_.Fail(absl::StrCat("input `", input.name, "` of the artifact ", what));
    };
    const auto it = listed.find(input.name);
    if (it == listed.end()) {
      fail("is not listed");
      continue;
    }
    const std::shared_ptr<Tensor> tensor = session_.Listed(*it->second);
    const Artifact::Tensor& own = artifact_.tensors[static_cast<size_t>(input.tensor)];
    if (own.type != tensor->dtype || own.shape.size() != tensor->dims.size()) {
      fail("is listed with another type or rank");
      continue;
    }
    for (size_t d = 0; d < own.shape.size(); ++d) {
      const std::optional<int64_t> number = terms_.Number(tensor->dims[d]);
      if (number.value_or(-1) != own.shape[d])
        fail(absl::StrCat("has another dim ", d, " than is listed"));
    }
    for (size_t d = 0; d < std::min(input.dims.size(), tensor->dims.size()); ++d) {
      const absl::StatusOr<Dim> said = session_.ReadDim(AsStatement(input.dims[d]));
      if (!said.ok() ||
          !session_.TakeEqual(absl::StrCat("input `", input.name, "` of the artifact"), *said,
                              tensor->dims[d])) {
        fail(absl::StrCat("says `", input.dims[d], "` of dim ", d, ", listed is `",
                          terms_.Text(tensor->dims[d]), "`"));
      }
    }
    if (input.dims.size() != tensor->dims.size()) fail("does not say its dims");
    // What is known of the elements of an input is for the model to say.
    auto plain = std::make_shared<Tensor>();
    plain->dtype = tensor->dtype;
    plain->dims = tensor->dims;
    Count(input.tensor, *plain);
    frame_.values[static_cast<size_t>(input.tensor)] = std::move(plain);
  }
}

void ArtifactReader::Leave(const std::string& place, const std::string& why) {
  left_.push_back(absl::StrCat(place, ": ", why));
}

TensorPtr ArtifactReader::ValueOf(int32_t tensor, Frame& frame) {
  const auto at = static_cast<size_t>(tensor);
  if (tensor < 0 || at >= frame.tensors.size()) return nullptr;
  const Artifact::Tensor& stored = frame.tensors[at];
  if (frame.values[at] == nullptr && stored.is_constant && !stored.type.empty())
    frame.values[at] = ConstantOf(stored);
  return frame.values[at];
}

void ArtifactReader::Operator(size_t index, const Artifact::Operator& own, Frame& frame) {
  ++read_;
  NodeContext node;
  node.op = own.name;
  node.name = absl::StrCat(frame.place, "operator ", index, " `", own.name, "` of the artifact");
  if (own.runs == Artifact::Operator::Runs::kLoop) return Loop(node, own, frame);
  if (own.runs == Artifact::Operator::Runs::kBranch) return Branch(node, own, frame);
  const Op* const op =
      Definitions().FindOp(own.dialect.empty() ? artifact_.dialect : own.dialect, own.name);
  if (op == nullptr || !op->has_code) return Leave(node.name, "it has no definition");
  std::vector<Value> operands;
  for (const int32_t input : own.inputs) {
    const TensorPtr tensor = input < 0 ? nullptr : ValueOf(input, frame);
    if (input >= 0 && tensor == nullptr) return Leave(node.name, "it reads what is not derived");
    operands.push_back(Value::Of(tensor));
  }
  std::map<std::string, Value> attributes;
  for (const AttributeDecl& declaration : op->attributes) {
    const auto option = own.options.find(declaration.name);
    if (option == own.options.end()) continue;
    std::optional<Value> value = AttributeOf(option->second, declaration);
    if (!value) return Leave(node.name, absl::StrCat("its option `", declaration.name, "`"));
    attributes[declaration.name] = *std::move(value);
  }
  Interpreter interpreter(session_, node);
  std::vector<Tensor> results = interpreter.Apply(*op, std::move(operands), std::move(attributes));
  if (!interpreter.wrong().empty())
    return session_.Fail(absl::StrCat(node.name, ": ", interpreter.wrong()));
  if (!interpreter.unsupported().empty()) return Leave(node.name, interpreter.unsupported());
  if (results.size() != own.outputs.size())
    return Leave(node.name, "it has another number of results than its definition");
  std::vector<TensorPtr> tensors;
  for (Tensor& result : results) tensors.push_back(std::make_shared<Tensor>(std::move(result)));
  Keep(node, own, tensors, frame);
}

void ArtifactReader::Count(int32_t tensor, Tensor& value) {
  const auto counted = artifact_.counted.find(tensor);
  if (counted == artifact_.counted.end() || value.has_elements) return;
  const absl::StatusOr<Dim> size = session_.ReadDim(counted->second);
  if (!size.ok()) return;
  value.has_elements = true;
  value.elements = {*size};
}

// The results, with the dims that the file has for them.
void ArtifactReader::Keep(const NodeContext& node, const Artifact::Operator& own,
                          const std::vector<TensorPtr>& results, Frame& frame) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (own.outputs[i] < 0 || results[i] == nullptr) continue;
    const auto at = static_cast<size_t>(own.outputs[i]);
    const Artifact::Tensor& stored = frame.tensors[at];
    auto result = std::make_shared<Tensor>(*results[i]);
    if (stored.type != result->dtype || stored.shape.size() != result->dims.size()) {
      session_.Fail(absl::StrCat(node.name, " yields ", result->dtype, " of rank ",
                                 result->dims.size(), ", its result has another type or rank"));
      return;
    }
    for (size_t d = 0; d < result->dims.size(); ++d) {
      Dim& dim = result->dims[d];
      const std::optional<int64_t> number = terms_.Number(dim);
      if (number ? *number != stored.shape[d] && stored.shape[d] >= 0 : stored.shape[d] >= 0) {
        // A buffer of that size is made for it.
        const Dim size = terms_.Integer(stored.shape[d]);
        if (number)
          session_.Fail(absl::StrCat(node.name, " yields ", *number, " along axis ", d,
                                     ", its result has ", stored.shape[d]));
        session_.Require({node.name,
                          node.op,
                          "size.result",
                          terms_.Make(Operator::kEq, dim, size),
                          {},
                          Requirement::kDue});
        dim = size;
      }
      dim = Shortened(node, dim);
    }
    if (&frame == &frame_) Count(own.outputs[i], *result);
    frame.values[at] = std::move(result);
  }
}

void ArtifactReader::Outputs() {
  const std::vector<std::string>& listed = session_.certificate().outputs;
  if (listed.size() != artifact_.outputs.size())
    return session_.Fail(absl::StrCat("the artifact has ", artifact_.outputs.size(),
                                      " outputs, the certificate lists ", listed.size()));
  NodeContext node;
  for (size_t i = 0; i < listed.size(); ++i) {
    const Artifact::Argument& output = artifact_.outputs[i];
    const std::shared_ptr<Tensor> wanted = session_.Listed(listed[i]);
    const TensorPtr own = ValueOf(output.tensor, frame_);
    node.name = absl::StrCat("output `", output.name, "` of the artifact");
    // A constant of the model is not listed, one that is not derived has been named.
    if (wanted == nullptr || own == nullptr) continue;
    if (own->dtype != wanted->dtype || own->dims.size() != wanted->dims.size()) {
      session_.Fail(absl::StrCat(node.name, " has another type or rank than the model's"));
      continue;
    }
    for (size_t d = 0; d < own->dims.size(); ++d) {
      const Dim equal = terms_.Make(Operator::kEq, own->dims[d], wanted->dims[d]);
      if (own->dims[d] == wanted->dims[d] || terms_.Number(equal) == 1) continue;
      session_.Require({node.name, "output", "equal.replaced", equal, {}, Requirement::kDue});
    }
  }
}

void ArtifactReader::Operators(const std::vector<Artifact::Operator>& operators, Frame& frame) {
  for (size_t i = 0; i < operators.size(); ++i) Operator(i, operators[i], frame);
}

void ArtifactReader::Run() {
  Inputs();
  Operators(artifact_.operators, frame_);
  Outputs();
}

}  // namespace tessera::recheck
