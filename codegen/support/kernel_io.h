// What generated kernels need around their loops: operands in the compute type, results back in
// theirs, and the few scalar forms that differ between numbers and symbolic expressions.
#ifndef TESSERA_CODEGEN_SUPPORT_KERNEL_IO_H_
#define TESSERA_CODEGEN_SUPPORT_KERNEL_IO_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/domain.h"
#include "codegen/support/fraction.h"
#include "codegen/support/nd.h"
#include "codegen/support/scalar.h"
#include "codegen/support/scalar_expr.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::kernels {

inline constexpr size_t kMaxRank = 16;

// Sums and products of floats are taken in double.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, float>, double,
                                       std::conditional_t<std::is_same_v<T, uint8_t>, int64_t, T>>;

template <class T>
inline constexpr bool kIsSymbolic = Symbolic<T> || Fractional<T>;

// The type of a truth value about elements of type T.
template <class T>
using TruthFor = std::conditional_t<kIsSymbolic<T>, solver::Expr, bool>;

inline bool TruthOf(bool b) { return b; }
template <class T>
T FromTruth(bool b) {
  return T(b ? 1 : 0);
}
template <class T>
T FromTruth(const solver::Expr& e) {
  return T(e);
}
inline bool SelectTruth(bool c, bool a, bool b) { return c ? a : b; }
inline solver::Expr SelectTruth(const solver::Expr& c, const solver::Expr& a,
                                const solver::Expr& b) {
  return solver::Ite(c, a, b);
}

// Turns what the shape struct knows into plain numbers. In the symbolic domain that can fail, which
// `ok` records.
struct HostOf {
  bool ok = true;
  int64_t operator()(int64_t v) { return v; }
  int64_t operator()(const solver::Expr& e) {
    if (const auto v = e.Constant()) return *v;
    ok = false;
    return 0;
  }
  template <class D>
  std::vector<int64_t> operator()(const std::vector<D>& list) {
    std::vector<int64_t> result;
    result.reserve(list.size());
    for (const D& d : list) result.push_back((*this)(d));
    return result;
  }
  absl::Status status() const {
    return ok ? absl::OkStatus()
              : absl::FailedPreconditionError("a symbolic value where the kernel needs a number");
  }
};

// An element as an index: what the conversion makes of it, so that no float is undefined here.
template <class T>
int64_t ToIndex(const T& v, HostOf& host) {
  if constexpr (kIsSymbolic<T>) {
    return host(Cast<solver::Expr>(v));
  } else {
    return Cast<int64_t>(v);
  }
}

// A conversion towards `dtype`, which computes in T.
template <class T, class V>
T CastElement(const V& v, ir::DType dtype) {
  if constexpr (kIsSymbolic<T>) {
    return Convert(Cast<Fraction>(v), dtype);
  } else {
    return dtype == ir::DType::kBool ? T(v != V(0)) : Cast<T>(v);
  }
}

inline absl::Status IndexOutOfRange(int64_t index, int64_t size) {
  return absl::OutOfRangeError(absl::StrCat("index ", index, " outside an axis of ", size));
}

template <class T>
constexpr ir::DType ComputeDType() {
  if constexpr (std::is_same_v<T, float>) return ir::DType::kF32;
  if constexpr (std::is_same_v<T, double>) return ir::DType::kF64;
  if constexpr (std::is_same_v<T, int64_t>) return ir::DType::kI64;
  if constexpr (std::is_same_v<T, uint64_t>) return ir::DType::kU64;
  return ir::DType::kBool;
}

// Converts inputs to the compute type where theirs differs, and results back.
class KernelIo {
 public:
  explicit KernelIo(const ir::KernelArgs& args) : args_(args) {}

  template <class T>
  const T* Read(size_t index) {
    if (index >= args_.inputs.size() || args_.inputs[index] == nullptr) return nullptr;
    const ir::Tensor& tensor = *args_.inputs[index];
    if (tensor.dtype() == ComputeDType<T>()) return tensor.data<T>();
    converted_.push_back(std::make_unique<ir::Tensor>(tensor.CastTo(ComputeDType<T>())));
    return converted_.back()->data<T>();
  }
  // The bytes as they are, for kernels that only move elements.
  template <class T>
  const T* ReadRaw(size_t index) const {
    return index >= args_.inputs.size() || args_.inputs[index] == nullptr
               ? nullptr
               : args_.inputs[index]->data<T>();
  }
  template <class T>
  T* Write(size_t index) {
    ir::Tensor& tensor = args_.outputs[index];
    if (tensor.dtype() == ComputeDType<T>()) return tensor.mutable_data<T>();
    absl::StatusOr<ir::Tensor> wide = ir::Tensor::Allocate(ComputeDType<T>(), tensor.shape());
    if (!wide.ok()) {
      status_ = wide.status();
      return nullptr;
    }
    wide_.emplace_back(index, std::make_unique<ir::Tensor>(*std::move(wide)));
    return wide_.back().second->mutable_data<T>();
  }
  template <class T>
  T* WriteRaw(size_t index) {
    return args_.outputs[index].mutable_data<T>();
  }
  const absl::Status& status() const { return status_; }
  void Finish() {
    for (auto& [index, tensor] : wide_)
      args_.outputs[index] = tensor->CastTo(args_.outputs[index].dtype());
  }

 private:
  const ir::KernelArgs& args_;
  absl::Status status_;
  std::vector<std::unique_ptr<ir::Tensor>> converted_;
  std::vector<std::pair<size_t, std::unique_ptr<ir::Tensor>>> wide_;
};

// What a shape struct binds to.
struct ConcreteInfos {
  ConcreteInfos(absl::Span<const ir::Tensor* const> inputs,
                absl::Span<const ir::OperandSpec> specs);
  std::vector<ir::OperandInfo<int64_t>> infos;

 private:
  std::vector<std::vector<int64_t>> elements_;
};
std::vector<ir::OperandInfo<solver::Expr>> SymbolicInfos(
    absl::Span<const ir::SymbolicTensor* const> inputs);

// The elements of operands and results of open types; those of integer and bool ones are
// expressions. An absent operand has none.
class SymbolicIo {
 public:
  explicit SymbolicIo(const ir::SymbolicKernelArgs& args) : args_(args) {}

  template <class T>
  const T* Read(size_t index) {
    if (index >= args_.inputs.size() || args_.inputs[index] == nullptr) return nullptr;
    if constexpr (Fractional<T>) {
      return ReadFractions(*args_.inputs[index]);
    } else {
      loses_steps_ |= !args_.inputs[index]->steps.empty();
      return args_.inputs[index]->elements.data();
    }
  }
  template <class T>
  T* Write(size_t index) {
    if constexpr (Fractional<T>) {
      return WriteFractions(index);
    } else {
      return args_.outputs[index].elements.data();
    }
  }
  void Finish();

 private:
  const Fraction* ReadFractions(const ir::SymbolicTensor& tensor);
  Fraction* WriteFractions(size_t index);

  const ir::SymbolicKernelArgs& args_;
  bool loses_steps_ = false;  // an operand follows the index, and is read as if it did not
  std::vector<std::unique_ptr<std::vector<Fraction>>> read_;
  std::vector<std::pair<size_t, std::unique_ptr<std::vector<Fraction>>>> written_;
};

}  // namespace tessera::kernels

#endif  // TESSERA_CODEGEN_SUPPORT_KERNEL_IO_H_
