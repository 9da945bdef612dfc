// The definitions of Circle's operators, over elements as they are stored and over integers that
// stand for others, against facts that others set: the schema, what ONE's importer takes, the
// versions and element types of runtimes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/op_info.h"
#include "ir/registry.h"
#include "support/file.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/emission/versions.h"
#include "targets/circle/schema/operator_rules.h"
#include "targets/circle/schema/schema.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
const ir::Dialect& CircleIntegersOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

std::string Text(std::string_view text) { return std::string(text); }

// Those that are operators of the format.
std::vector<const ir::OpInfo*> Operators() {
  std::vector<const ir::OpInfo*> operators;
  for (const ir::Dialect* dialect : {&ops::CircleOps(), &ops::CircleIntegersOps()}) {
    for (const ir::OpInfo* info : dialect->ops) {
      if (info->code != nullptr) operators.push_back(info);
    }
  }
  return operators;
}

// Of an operator over integers, that of the schema.
std::string SchemaName(const ir::OpInfo& info) {
  return std::string(absl::StripPrefix(Text(info.name), "QUANTIZED_"));
}

TEST(CircleDefinitions, CodesAreThoseOfTheirNames) {
  std::map<std::pair<std::string, int32_t>, std::string> names;  // in a dialect
  for (const ir::OpInfo* info : Operators()) {
    const std::string name = Text(info->name);
    EXPECT_EQ(std::string(OperatorName(info->code->code)), SchemaName(*info)) << name;
    std::string& of_code = names[{Text(info->dialect), info->code->code}];
    EXPECT_TRUE(of_code.empty()) << name << " and " << of_code << " have one code";
    of_code = name;
  }
  EXPECT_GE(names.size(), 100u);
}

// `REDUCE_MAX` and `ReduceMaxOptions` without case and underscores.
std::string Plain(const std::string& name) {
  return absl::AsciiStrToLower(absl::StrReplaceAll(name, {{"_", ""}}));
}

// The attributes that are written as options. The others are parameters of quantized tensors.
std::vector<size_t> Options(const ir::OpInfo& info) {
  std::vector<size_t> options;
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    if (!IsParameter(info, info.attrs[i].name)) options.push_back(i);
  }
  return options;
}

TEST(CircleDefinitions, OptionsAreThoseOfTheOperator) {
  for (const ir::OpInfo* info : Operators()) {
    const std::string name = Text(info->name), options = Text(info->code->options);
    const OperatorRule* rule = FindOperatorRule(info->code->code);
    ASSERT_NE(rule, nullptr) << name;
    if (!rule->options_table.empty()) {
      EXPECT_EQ(options, std::string(rule->options_table)) << name;
    } else if (!options.empty()) {
      // The importer reads none; the schema has a table of the operator's name.
      EXPECT_EQ(Plain(options), Plain(SchemaName(*info)) + "options");
    }
    if (options.empty()) {
      EXPECT_TRUE(Options(*info).empty()) << name << " has attributes and no options";
    } else {
      EXPECT_TRUE(FindOptionsPlace(options).has_value()) << name;
    }
    const int least = rule->min_inputs, most = rule->max_inputs;
    int needed = 0, written = 0;
    for (const ir::OperandSpec& operand : info->operands) {
      if (IsParameter(*info, operand.name)) continue;
      ++written;
      needed += operand.arity == ir::Arity::kRequired ? 1 : 0;
    }
    EXPECT_LE(needed, most) << name;
    EXPECT_GE(written, least) << name;
    if (!info->operands.empty() && info->operands.back().arity == ir::Arity::kVariadic) {
      EXPECT_EQ(most, OperatorRule::kAnyNumber) << name;
    } else {
      EXPECT_LE(written, most) << name;
    }
  }
}

bool IsEnum(const ::reflection::Field& field, absl::string_view name) {
  const int index = field.type()->index();
  return index >= 0 && NameOf(*CircleSchema().enums()->Get(static_cast<unsigned>(index))) == name;
}

// Whether a field of the table holds an attribute of this kind.
bool Fits(const ir::AttrSpec& spec, const ::reflection::Field& field) {
  const auto type = field.type()->base_type();
  const bool has_enum = field.type()->index() >= 0;
  switch (spec.kind) {
    case ir::AttrKind::kInt:
      return type == ::reflection::Int && !has_enum;
    case ir::AttrKind::kBool:
      return type == ::reflection::Bool;
    case ir::AttrKind::kFloat:
      return type == ::reflection::Float;
    case ir::AttrKind::kDType:
      return IsEnum(field, "TensorType");
    case ir::AttrKind::kEnum: {
      if (!has_enum) return false;
      const auto& members =
          *CircleSchema().enums()->Get(static_cast<unsigned>(field.type()->index()));
      return std::all_of(spec.enum_names.begin(), spec.enum_names.end(),
                         [&](std::string_view name) {
                           return MemberValue(members, {name.data(), name.size()}).has_value();
                         });
    }
    case ir::AttrKind::kInts:
      return type == ::reflection::Vector && field.type()->element() == ::reflection::Int;
    default:
      return false;
  }
}

TEST(CircleDefinitions, AttributesAreFieldsOfTheOptions) {
  for (const ir::OpInfo* info : Operators()) {
    if (info->code->options.empty()) continue;
    const ::reflection::Object* table =
        FindTable({info->code->options.data(), info->code->options.size()});
    ASSERT_NE(table, nullptr) << Text(info->name);
    for (const size_t i : Options(*info)) {
      const ir::AttrSpec& spec = info->attrs[i];
      const std::string place = absl::StrCat(Text(info->name), ".", Text(spec.name));
      const ::reflection::Field* field = FindField(*table, {spec.name.data(), spec.name.size()});
      ASSERT_NE(field, nullptr) << place;
      EXPECT_FALSE(field->deprecated()) << place;
      EXPECT_TRUE(Fits(spec, *field)) << place;
    }
  }
}

// A default of an attribute is the field's, so that a definition which leaves one out says what the
// file says. Where the field's default means nothing (`STRIDES 0`), the attribute has none.
TEST(CircleDefinitions, DefaultsAreThoseOfTheFields) {
  // A type of indices that the schema would default to float; scales that are powers of two, which
  // the schema supposes and writers leave.
  const std::set<std::string> elsewhere = {
      "ARG_MAX.output_type", "ARG_MIN.output_type",
      "SHAPE.out_type",      "DEPTHWISE_CONV_2D.depth_multiplier",
      "SOFTMAX.beta",        "ONE_HOT.axis",
      "ADD.pot_scale_int16", "SUB.pot_scale_int16"};
  for (const ir::OpInfo* info : Operators()) {
    if (info->code->options.empty()) continue;
    const ::reflection::Object* table =
        FindTable({info->code->options.data(), info->code->options.size()});
    ASSERT_NE(table, nullptr);
    for (const size_t i : Options(*info)) {
      const ir::AttrSpec& spec = info->attrs[i];
      const std::string place = absl::StrCat(SchemaName(*info), ".", Text(spec.name));
      // All others are given, of any value: what this one is by default does not depend on them.
      std::vector<ir::Attribute> attrs;
      for (const ir::AttrSpec& other : info->attrs) {
        if (&other == &spec) {
          attrs.emplace_back();
        } else if (other.kind == ir::AttrKind::kFloat) {
          attrs.emplace_back(1.0);
        } else if (other.kind == ir::AttrKind::kDType) {
          attrs.emplace_back(ir::DType::kF32);
        } else if (other.kind == ir::AttrKind::kInts) {
          attrs.emplace_back(std::vector<int64_t>());
        } else {
          attrs.emplace_back(int64_t{0});
        }
      }
      const std::vector<ir::OperandInfo<ir::Expr>> operands(info->operands.size());
      if (!info->complete(operands, attrs).ok()) continue;  // it has none
      const ::reflection::Field* field = FindField(*table, {spec.name.data(), spec.name.size()});
      ASSERT_NE(field, nullptr) << place;
      if (elsewhere.count(place) != 0) continue;
      if (spec.kind == ir::AttrKind::kFloat) {
        EXPECT_EQ(std::get<double>(attrs[i]), field->default_real()) << place;
      } else if (spec.kind == ir::AttrKind::kEnum) {
        const auto& members =
            *CircleSchema().enums()->Get(static_cast<unsigned>(field->type()->index()));
        const std::string_view name =
            spec.enum_names[static_cast<size_t>(std::get<int64_t>(attrs[i]))];
        EXPECT_EQ(MemberValue(members, {name.data(), name.size()}), field->default_integer())
            << place;
      } else if (const auto* value = std::get_if<int64_t>(&attrs[i])) {
        EXPECT_EQ(*value, field->default_integer()) << place;
      }
    }
  }
}

TEST(CircleDefinitions, VersionsAreThoseOfOperatorsOfWhichNothingIsAsked) {
  // Operators that only Circle has; nobody numbers them.
  const std::set<std::string> own = {"INSTANCE_NORM", "RMS_NORM", "GRU"};
  for (const ir::OpInfo* info : Operators()) {
    const std::string name = SchemaName(*info);
    const std::optional<int> version = PlainVersion(name);
    EXPECT_EQ(version.has_value(), own.count(name) == 0) << name;
    EXPECT_EQ(info->code->version, version.value_or(1)) << name;
  }
}

// Of the types that a runtime was tried with, a definition's T admits those that run.
TEST(CircleDefinitions, ElementTypesAreThoseThatARuntimeTakes) {
  const absl::StatusOr<std::string> table =
      support::ReadFile("targets/circle/testdata/runtime_types.txt");
  ASSERT_TRUE(table.ok()) << table.status();
  std::map<std::string, std::map<std::string, bool>> runs;
  for (absl::string_view line : absl::StrSplit(*table, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    bool run = true;
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "not") {
        run = false;
      } else {
        runs[words[0]][words[i]] = run;
      }
    }
  }
  std::map<std::string, std::set<std::string>> admitted;
  const absl::StatusOr<std::string> types =
      support::ReadFile("targets/circle/definition_types.tsv");
  ASSERT_TRUE(types.ok()) << types.status();
  for (absl::string_view line : absl::StrSplit(*types, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    ASSERT_EQ(columns.size(), 3u) << line;
    if (columns[1] == "T") admitted[columns[0]] = absl::StrSplit(columns[2], ',');
  }
  // Only Circle's own runtime has it.
  const std::set<std::string> other_runtimes = {"INSTANCE_NORM"};
  // Runs, and nothing here needs it.
  const std::set<std::string> unused = {"FLOOR_DIV f32", "RANGE f32"};
  for (const ir::OpInfo* info : Operators()) {
    const std::string name = Text(info->name);
    ASSERT_EQ(runs.count(name), 1u) << name << " was not tried";
    ASSERT_EQ(admitted.count(name), 1u) << name;
    if (other_runtimes.count(name) != 0) continue;
    // What only moves elements is known by those that networks have; integers are tried in all
    // types.
    if (Text(info->dialect) == ops::CircleIntegersOps().name) {
      for (const std::string& type : admitted[name])
        EXPECT_EQ(runs[name].count(type), 1u) << name << " was not tried with " << type;
    }
    for (const auto& [type, run] : runs[name]) {
      const bool admits = admitted[name].count(type) != 0;
      if (unused.count(absl::StrCat(name, " ", type)) != 0) {
        EXPECT_TRUE(run && !admits) << name << " " << type;
      } else {
        EXPECT_EQ(admits, run) << name << " of " << type;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::circle
