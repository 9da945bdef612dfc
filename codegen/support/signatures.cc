#include "codegen/support/signatures.h"

#include <nlohmann/json.hpp>

namespace tessera::ops {
namespace {

using Json = nlohmann::json;

OperandSignature OperandOf(const Json& json) {
  OperandSignature operand;
  operand.type = json.at("type");
  for (const Json& name : json.at("dtypes"))
    operand.dtypes |= ir::SetOf(*ir::DTypeFromName(name.get<std::string>()));
  for (const Json& dim : json.at("dims"))
    operand.dims.push_back({dim.at("name"), dim.at("pack"), dim.at("literal")});
  operand.rank = json.at("rank");
  operand.free = json.at("free");
  return operand;
}

LoweringSignature LoweringOf(const Json& json) {
  LoweringSignature lowering{json.at("target"), {}, {}};
  for (const Json& clause : json.at("clauses"))
    lowering.clauses.push_back({clause.at("line"), clause.at("guard"), clause.at("refuses")});
  for (const Json& decision : json.at("decisions"))
    lowering.decisions.push_back({decision.at("text"), decision.at("function"),
                                  decision.at("holds"), decision.at("fails"),
                                  decision.at("moves")});
  return lowering;
}

}  // namespace

std::vector<Signature> ReadSignatures(const std::vector<std::string_view>& definitions) {
  std::vector<Signature> all;
  for (const std::string_view text : definitions) {
    const Json json = Json::parse(text);
    Signature& op = all.emplace_back();
    op.dialect = json.at("dialect");
    op.op = json.at("op");
    op.file = json.at("file");
    op.commutes = json.at("commutes");
    for (const Json& each : json.at("operands")) op.operands.push_back(OperandOf(each));
    for (const Json& length : json.at("attribute_lengths")) op.attrs.push_back({length});
    for (const Json& each : json.at("lowerings")) op.lowerings.push_back(LoweringOf(each));
    for (const Json& each : json.at("rewrites"))
      op.rewrites.push_back({each.at("name"), each.at("conjuncts"), each.at("ordered")});
    op.integers = json.at("integers").get<std::vector<int64_t>>();
    op.floats = json.at("floats").get<std::vector<double>>();
  }
  return all;
}

}  // namespace tessera::ops
