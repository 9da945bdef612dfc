#include "nests/library.h"

#include "ir/inference.h"

namespace tessera::nests {

Library& Library::Global() {
  static auto* library = new Library();
  return *library;
}

void Library::Add(absl::Span<const Definition* const> definitions) {
  for (const Definition* definition : definitions)
    definitions_[{definition->dialect, definition->op}] = definition;
}

const Definition* Library::Find(std::string_view dialect, std::string_view op) const {
  const auto found = definitions_.find({dialect, op});
  return found == definitions_.end() ? nullptr : found->second;
}

std::vector<const Definition*> Library::All() const {
  std::vector<const Definition*> all;
  for (const auto& [name, definition] : definitions_) all.push_back(definition);
  return all;
}

absl::StatusOr<Computation> ComputationOf(const Definition& definition,
                                          const ir::InferArgs<Expr>& args,
                                          solver::Context& context) {
  if (definition.build == nullptr)
    return absl::UnimplementedError(absl::StrCat(
        "`", std::string(definition.op), "` has no nests: ", std::string(definition.missing)));
  Builder builder(context);
  definition.build(args, context, builder);
  return std::move(builder).Finish();
}

absl::StatusOr<Computation> ComputationOf(const ir::Operation& operation,
                                          solver::Context& context) {
  const ir::OpInfo& info = operation.info();
  const Definition* definition = Library::Global().Find(info.dialect, info.name);
  if (definition == nullptr)
    return absl::UnimplementedError(
        absl::StrCat("`", std::string(info.name), "` has no definition"));
  std::vector<ir::OperandInfo<Expr>> operands;
  for (const ir::Value* operand : operation.operands()) operands.push_back(ir::InfoOf(operand));
  return ComputationOf(*definition, {operands, operation.attrs()}, context);
}

}  // namespace tessera::nests
