#include "testing/sampling/edits.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

namespace tessera::testing {
namespace {

std::vector<ir::DType> MembersOf(ir::DTypeSet set) {
  std::vector<ir::DType> members;
  for (int i = 0; i < ir::kDTypeCount; ++i) {
    if (ir::Contains(set, static_cast<ir::DType>(i))) members.push_back(static_cast<ir::DType>(i));
  }
  return members;
}

void Reshape(Operand& operand, std::vector<int64_t> shape) {
  operand.tensor = Resized(operand.tensor, operand.tensor.dtype(), std::move(shape));
}

template <class T>
bool IsPermutation(const std::vector<T>&) {
  return false;
}
bool IsPermutation(std::vector<int64_t> list) {
  std::sort(list.begin(), list.end());
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] != static_cast<int64_t>(i)) return false;
  }
  return list.size() > 1;
}

template <class T>
void MakePermutation(std::vector<T>&, Random&) {}
void MakePermutation(std::vector<int64_t>& list, Random& random) {
  std::iota(list.begin(), list.end(), 0);
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
}

template <class F>
void VisitList(ir::Attribute& attribute, F f) {
  if (auto* ints = std::get_if<std::vector<int64_t>>(&attribute)) f(*ints);
  if (auto* floats = std::get_if<std::vector<double>>(&attribute)) f(*floats);
  if (auto* dims = std::get_if<std::vector<solver::Expr>>(&attribute)) f(*dims);
}

}  // namespace

AxisName NameOfAxis(const ops::OperandSignature& signature, int64_t rank, int64_t axis) {
  const int64_t entries = static_cast<int64_t>(signature.dims.size());
  int64_t at = 0;
  for (int64_t i = 0; i < entries; ++i) {
    const ops::DimEntry& entry = signature.dims[static_cast<size_t>(i)];
    const int64_t width = entry.pack ? rank - entries + 1 : 1;
    if (axis < at + width) {
      if (!entry.pack) return {entry.name, -1, -1};
      return {entry.name, axis - at, at + width - 1 - axis};
    }
    at += width;
  }
  return {};
}

ir::Tensor Resized(const ir::Tensor& tensor, ir::DType dtype, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  if (ir::IsFloat(tensor.dtype())) {
    std::vector<double> values(static_cast<size_t>(count));
    for (int64_t i = 0; i < std::min(count, tensor.size()); ++i)
      values[static_cast<size_t>(i)] = tensor.AsDouble(i);
    return ir::Tensor::Of<double>(dtype, std::move(shape), values);
  }
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < std::min(count, tensor.size()); ++i)
    values[static_cast<size_t>(i)] = tensor.AsInt(i);
  return ir::Tensor::Of<int64_t>(dtype, std::move(shape), values);
}

void Editor::Edit(Instance& instance) {
  switch (random_.Below(12)) {
    case 0:
    case 1:
    case 2:
      return EditDim(instance);
    case 3:
    case 4:
      return EditRank(instance);
    case 5:
      return EditType(instance);
    case 6:
    case 7:
    case 8:
      return EditAttribute(instance);
    case 9:
      return EditPresence(instance);
    case 10:
      return EditCount(instance);
    default:
      return EditElements(instance);
  }
}

int64_t Editor::Size(int64_t now, const Instance& instance) {
  switch (random_.Below(7)) {
    case 0:
      return 1;
    case 1:
      return now + 1;
    case 2:
      return std::max<int64_t>(now - 1, random_.OneIn(8) ? 0 : 1);
    case 3:
      return 2 + random_.Below(4);
    case 4:
      return random_.OneIn(2) ? 2 * now : std::max<int64_t>(now / 2, 1);
    case 5:
      if (!subject_.signature->integers.empty()) {
        const int64_t mentioned = random_.Of(subject_.signature->integers);
        if (mentioned >= 0 && mentioned <= 8) return mentioned;
      }
      return 3;
    default:
      return AnySize(instance).value_or(now);
  }
}

std::optional<int64_t> Editor::AnySize(const Instance& instance) {
  if (instance.operands.empty()) return std::nullopt;
  const Operand& other = random_.Of(instance.operands);
  if (!other.present || other.tensor.rank() == 0) return std::nullopt;
  return random_.Of(other.tensor.shape());
}

void Editor::EditDim(Instance& instance) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    if (!instance.operands[i].present) continue;
    for (size_t a = 0; a < instance.operands[i].tensor.shape().size(); ++a) axes.push_back({i, a});
  }
  if (axes.empty()) return;
  const Axis at = random_.Of(axes);
  const std::vector<int64_t> shape = instance.operands[at.operand].tensor.shape();
  const int64_t old = shape[at.axis], size = Size(old, instance);
  const auto name_at = [&](const Axis& axis) {
    return NameOfAxis(SignatureAt(subject_, axis.operand),
                      instance.operands[axis.operand].tensor.rank(),
                      static_cast<int64_t>(axis.axis));
  };
  const AxisName name = name_at(at);
  // By name, by size, or alone.
  const int64_t mode = random_.Below(4);
  for (const Axis& axis : axes) {
    Operand& operand = instance.operands[axis.operand];
    std::vector<int64_t> dims = operand.tensor.shape();
    const AxisName other = name_at(axis);
    const bool same = axis.operand == at.operand && axis.axis == at.axis;
    const bool named =
        !name.name.empty() && other.name == name.name && other.position == name.position;
    if (!same && !(mode < 2 && named) && !(mode == 2 && dims[axis.axis] == old)) continue;
    dims[axis.axis] = size;
    Reshape(operand, std::move(dims));
  }
  if (mode != 2) return;
  for (ir::Attribute& attribute : instance.attrs) {
    VisitList(attribute, [&](auto& list) {
      using T = typename std::decay_t<decltype(list)>::value_type;
      if constexpr (!std::is_same_v<T, double>) {
        for (T& item : list) {
          if (item == T(old)) item = T(size);
        }
      }
    });
  }
}

void Editor::EditRank(Instance& instance) {
  std::vector<std::string> packs;
  for (const ops::OperandSignature& operand : subject_.signature->operands) {
    for (const ops::DimEntry& entry : operand.dims) {
      if (entry.pack) packs.push_back(entry.name);
    }
    if (!operand.rank.empty()) packs.push_back(operand.rank);
    if (operand.free) packs.push_back("");
  }
  if (packs.empty()) return;
  const std::string pack = random_.Of(packs);
  const bool all = random_.OneIn(2), insert = random_.OneIn(2);
  const int64_t size = random_.OneIn(3) ? 1 : 2 + random_.Below(3);
  const int64_t from_end = random_.OneIn(2) ? 0 : random_.Below(3);
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Operand& operand = instance.operands[i];
    if (!operand.present) continue;
    const ops::OperandSignature& signature = SignatureAt(subject_, i);
    std::vector<int64_t> dims = operand.tensor.shape();
    int64_t before = 0, width = static_cast<int64_t>(dims.size()), after = 0;
    bool touched = signature.free ? all || pack.empty()
                                  : !signature.rank.empty() && (all || signature.rank == pack);
    bool behind = false;
    for (const ops::DimEntry& entry : signature.dims) {
      if (entry.pack) {
        touched = all || entry.name == pack;
        behind = true;
      } else {
        ++(behind ? after : before);
      }
    }
    if (!behind && !signature.dims.empty()) continue;
    width -= before + after;
    if (!touched || (!insert && width == 0)) continue;
    const int64_t at = before + std::max<int64_t>(0, width - from_end - (insert ? 0 : 1));
    if (insert) {
      dims.insert(dims.begin() + at, size);
    } else {
      dims.erase(dims.begin() + at);
    }
    Reshape(operand, std::move(dims));
  }
  for (size_t i = 0; i < instance.attrs.size(); ++i) {
    const std::string& length = subject_.signature->attrs[i].length;
    if (length.empty() || !(all || length == pack)) continue;
    VisitList(instance.attrs[i], [&](auto& list) {
      const bool permutation = IsPermutation(list);
      const int64_t width = static_cast<int64_t>(list.size());
      if (!insert && width == 0) return;
      const int64_t at = std::max<int64_t>(0, width - from_end - (insert ? 0 : 1));
      if (insert) {
        const auto item = list.empty() ? typename std::decay_t<decltype(list)>::value_type(size)
                                       : list[static_cast<size_t>(std::min(at, width - 1))];
        list.insert(list.begin() + at, item);
      } else {
        list.erase(list.begin() + at);
      }
      if (permutation || (list.size() == 2 && insert)) MakePermutation(list, random_);
    });
  }
}

void Editor::EditType(Instance& instance) {
  const auto& operands = subject_.signature->operands;
  std::vector<size_t> attributes;
  for (size_t i = 0; i < instance.attrs.size(); ++i) {
    if (std::holds_alternative<ir::DType>(instance.attrs[i])) attributes.push_back(i);
  }
  if (!attributes.empty() && (operands.empty() || random_.OneIn(2))) {
    instance.attrs[random_.Of(attributes)] = static_cast<ir::DType>(random_.Below(ir::kDTypeCount));
    return;
  }
  if (operands.empty()) return;
  const ops::OperandSignature& chosen = random_.Of(operands);
  const std::vector<ir::DType> choices = MembersOf(chosen.dtypes);
  if (choices.empty()) return;
  const ir::DType dtype = random_.Of(choices);
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Operand& operand = instance.operands[i];
    const ops::OperandSignature& signature = SignatureAt(subject_, i);
    const bool same =
        &signature == &chosen || (!chosen.type.empty() && signature.type == chosen.type);
    if (operand.present && same)
      operand.tensor = Resized(operand.tensor, dtype, operand.tensor.shape());
  }
}

int64_t Editor::Integer(int64_t now, const Instance& instance) {
  switch (random_.Below(6)) {
    case 0:
      return now + 1;
    case 1:
      return now - 1;
    case 2:
      return random_.Below(5) - 1;
    case 3:
      return subject_.signature->integers.empty() ? 2 : random_.Of(subject_.signature->integers);
    case 4:
      return AnySize(instance).value_or(1) - random_.Below(2);
    default:
      return random_.OneIn(2) ? 0 : 1;
  }
}

double Editor::Real(double now) {
  static const std::vector<double>* plain =
      new std::vector<double>{0, 1, -1, 0.5, 2, 1.5, -0.25, 3, 1e-5};
  switch (random_.Below(5)) {
    case 0:
      return subject_.signature->floats.empty() ? random_.Of(*plain)
                                                : random_.Of(subject_.signature->floats);
    case 1:
      return now * 2;
    case 2:
      return 4 * random_.Real();
    default:
      return random_.Of(*plain);
  }
}

template <class T>
void Editor::EditList(std::vector<T>& list, const Instance& instance, bool free_length) {
  const int64_t size = static_cast<int64_t>(list.size());
  const auto item = [&](const T& now) {
    if constexpr (std::is_same_v<T, double>) {
      return Real(now);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return Integer(now, instance);
    } else {
      return T(Integer(now.Constant().value_or(0), instance));
    }
  };
  const int64_t choice = random_.Below(free_length ? 8 : 5);
  if (choice >= 6 || (list.empty() && free_length)) {
    list.insert(list.begin() + random_.Below(size + 1), item(list.empty() ? T(0) : list.back()));
    return;
  }
  if (list.empty()) return;
  const auto at = static_cast<size_t>(random_.Below(size));
  if (choice == 5) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  } else if (choice == 4) {
    std::swap(list[at], list[static_cast<size_t>(random_.Below(size))]);
  } else if (choice == 3) {
    if (IsPermutation(list)) {
      MakePermutation(list, random_);
    } else {
      std::fill(list.begin(), list.end(), item(list[at]));
    }
  } else {
    list[at] = item(list[at]);
  }
}

void Editor::EditAttribute(Instance& instance) {
  if (instance.attrs.empty()) return;
  const auto at = static_cast<size_t>(random_.Below(static_cast<int64_t>(instance.attrs.size())));
  const ir::AttrSpec& spec = subject_.info->attrs[at];
  ir::Attribute& attribute = instance.attrs[at];
  switch (spec.kind) {
    case ir::AttrKind::kBool:
      attribute = int64_t{1} - std::get<int64_t>(attribute);
      return;
    case ir::AttrKind::kEnum:
      attribute = random_.Below(static_cast<int64_t>(spec.enum_names.size()));
      return;
    case ir::AttrKind::kDType:
      return EditType(instance);
    case ir::AttrKind::kInt:
      attribute = Integer(std::get<int64_t>(attribute), instance);
      return;
    case ir::AttrKind::kDim:
      attribute =
          solver::Expr(Integer(std::get<solver::Expr>(attribute).Constant().value_or(0), instance));
      return;
    case ir::AttrKind::kFloat:
      attribute = Real(std::get<double>(attribute));
      return;
    default: {
      // A length that no operand has is the attribute's own.
      const std::string& length = subject_.signature->attrs[at].length;
      bool tied = false;
      for (const ops::OperandSignature& operand : subject_.signature->operands) {
        tied = tied || operand.rank == length;
        for (const ops::DimEntry& entry : operand.dims) tied = tied || entry.name == length;
      }
      VisitList(attribute, [&](auto& list) { EditList(list, instance, !tied); });
    }
  }
}

ir::DType Editor::DTypeFor(const Instance& instance, size_t operand) {
  const ops::OperandSignature& signature = SignatureAt(subject_, operand);
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    if (i != operand && instance.operands[i].present && !signature.type.empty() &&
        SignatureAt(subject_, i).type == signature.type)
      return instance.operands[i].tensor.dtype();
  }
  const std::vector<ir::DType> choices = MembersOf(signature.dtypes);
  return choices.empty() ? ir::DType::kF32 : random_.Of(choices);
}

std::vector<int64_t> Editor::ShapeFor(const Instance& instance, size_t operand) {
  const ops::OperandSignature& signature = SignatureAt(subject_, operand);
  std::vector<int64_t> shape;
  for (const ops::DimEntry& entry : signature.dims) {
    std::vector<int64_t> found;
    bool known = false;
    for (size_t i = 0; i < instance.operands.size() && !known; ++i) {
      if (i == operand || !instance.operands[i].present) continue;
      const ir::Tensor& tensor = instance.operands[i].tensor;
      for (int64_t a = 0; a < tensor.rank(); ++a) {
        const AxisName name = NameOfAxis(SignatureAt(subject_, i), tensor.rank(), a);
        if (entry.name.empty() || name.name != entry.name) continue;
        found.push_back(tensor.shape()[static_cast<size_t>(a)]);
        known = true;
      }
    }
    if (known) {
      shape.insert(shape.end(), found.begin(), found.end());
    } else if (entry.name.empty()) {
      shape.push_back(entry.literal);
    } else if (entry.pack) {
      const int64_t rank = random_.Below(3);
      for (int64_t a = 0; a < rank; ++a) shape.push_back(1 + random_.Below(3));
    } else {
      shape.push_back(1 + random_.Below(4));
    }
  }
  if (signature.free) {
    // Often like another.
    const Operand& other = random_.Of(instance.operands);
    if (other.present && random_.OneIn(2)) return other.tensor.shape();
    const int64_t rank = random_.Below(3);
    for (int64_t a = 0; a < rank; ++a) shape.push_back(1 + random_.Below(3));
  }
  return shape;
}

void Editor::EditPresence(Instance& instance) {
  std::vector<size_t> optional;
  for (size_t i = 0; i < subject_.info->operands.size(); ++i) {
    if (subject_.info->operands[i].arity == ir::Arity::kOptional) optional.push_back(i);
  }
  if (optional.empty()) return EditDim(instance);
  const size_t at = random_.Of(optional);
  if (instance.operands.size() <= at) instance.operands.resize(at + 1);
  Operand& operand = instance.operands[at];
  if (operand.present) {
    operand = Operand();
    return;
  }
  const ir::DType dtype = DTypeFor(instance, at);
  operand.tensor = Resized(ir::Tensor(), dtype, ShapeFor(instance, at));
  operand.present = true;
}

void Editor::EditCount(Instance& instance) {
  const auto& specs = subject_.info->operands;
  if (specs.empty() || specs.back().arity != ir::Arity::kVariadic) return EditAttribute(instance);
  const size_t fixed = specs.size() - 1;
  if (instance.operands.size() <= fixed) return;
  const size_t count = instance.operands.size() - fixed;
  if (count > 1 && random_.OneIn(2)) {
    instance.operands.erase(instance.operands.begin() + static_cast<std::ptrdiff_t>(fixed) +
                            random_.Below(static_cast<int64_t>(count)));
  } else if (count < 5) {
    instance.operands.push_back(instance.operands[fixed]);
  }
}

void Editor::EditElements(Instance& instance) {
  std::vector<size_t> known;
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    if (instance.operands[i].present && NeedsElements(subject_, i)) known.push_back(i);
  }
  if (known.empty()) return EditAttribute(instance);
  Operand& operand = instance.operands[random_.Of(known)];
  const ir::Tensor& tensor = operand.tensor;
  if (tensor.size() == 0) return;
  const int64_t at = random_.Below(tensor.size());
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.AsInt(i));
  values[static_cast<size_t>(at)] = Integer(values[static_cast<size_t>(at)], instance);
  if (random_.OneIn(4)) MakePermutation(values, random_);
  operand.tensor = ir::Tensor::Of<int64_t>(tensor.dtype(), tensor.shape(), values);
}

}  // namespace tessera::testing
