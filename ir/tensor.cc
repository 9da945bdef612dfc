#include "ir/tensor.h"

#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/absl_view.h"
#include "ir/half.h"
#include "ir/narrow.h"

namespace tessera::ir {
namespace {

// Calls f with a value of the type that stores elements of `dtype`.
template <class F>
void WithStorage(DType dtype, F f) {
  switch (dtype) {
    case DType::kBool:
      return f(bool());
    case DType::kI8:
      return f(int8_t());
    case DType::kI16:
      return f(int16_t());
    case DType::kI32:
      return f(int32_t());
    case DType::kI64:
      return f(int64_t());
    case DType::kU8:
      return f(uint8_t());
    case DType::kU16:
      return f(uint16_t());
    case DType::kU32:
      return f(uint32_t());
    case DType::kU64:
      return f(uint64_t());
    case DType::kF16:
      return f(F16());
    case DType::kBF16:
      return f(BF16());
    case DType::kF32:
      return f(float());
    case DType::kF64:
      return f(double());
    case DType::kI4:
      return f(I4());
    case DType::kU4:
      return f(U4());
    case DType::kI2:
      return f(I2());
    case DType::kU2:
      return f(U2());
    case DType::kF8E4M3FN:
      return f(F8E4M3FN());
    case DType::kF8E4M3FNUZ:
      return f(F8E4M3FNUZ());
    case DType::kF8E5M2:
      return f(F8E5M2());
    case DType::kF8E5M2FNUZ:
      return f(F8E5M2FNUZ());
    case DType::kF8E8M0:
      return f(F8E8M0());
    case DType::kF4E2M1:
      return f(F4E2M1());
  }
}

template <class T>
T Load(const uint8_t* bytes) {
  if constexpr (std::is_same_v<T, bool>) {
    return *bytes != 0;  // a file may hold any byte
  } else {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
}

// Of `narrow.h`: a byte that has to be widened before it is a number.
template <class T>
concept Narrow = requires(T v) {
  T::Of(v.Wide());
};

// To the format's nearest. Where ONNX's tables and the format leave it open, what ml_dtypes does:
// zero is no power of two, and what is no number becomes a zero of the other sign where there is no
// NaN.
template <Narrow To, class Wide>
To Stored(Wide v) {
  if constexpr (std::is_same_v<To, F8E8M0>) {
    if (v == 0) return {0xff};
  }
  if constexpr (std::is_same_v<To, F4E2M1>) {
    constexpr uint8_t kNegativeZero = 8;
    if (std::isnan(v)) return {std::signbit(v) ? uint8_t{0} : kNegativeZero};
  }
  return To::Of(v);
}

template <class To, class From>
To Convert(From v) {
  if constexpr (Narrow<From>) {
    if constexpr (std::is_same_v<To, From>) {
      return v;
    } else {
      return Convert<To>(v.Wide());
    }
  } else if constexpr (Narrow<To>) {
    using Wide = decltype(To().Wide());
    if constexpr (std::is_same_v<Wide, float> && !std::is_same_v<From, float> &&
                  std::is_arithmetic_v<From>) {
      return Stored<To>(RoundToOdd(static_cast<long double>(v)));
    } else {
      return Stored<To>(Convert<Wide>(v));
    }
  } else if constexpr (std::is_same_v<From, F16> || std::is_same_v<From, BF16>) {
    if constexpr (std::is_same_v<To, From>) {
      return v;
    } else {
      return Convert<To>(ToFloat(v));
    }
  } else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
    float narrow;
    if constexpr (sizeof(From) <= 2 || std::is_same_v<From, float>) {
      narrow = static_cast<float>(v);
    } else {
      narrow = RoundToOdd(static_cast<long double>(v));
    }
    if constexpr (std::is_same_v<To, F16>) {
      return ToF16(narrow);
    } else {
      return ToBF16(narrow);
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The bounds are powers of two, hence exact; the upper one is exclusive.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From high = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From(2);
    if (v != v) return 0;
    if (v < low) return std::numeric_limits<To>::min();
    if (v >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class To>
To ElementAs(DType dtype, const uint8_t* bytes, int64_t i) {
  To result = 0;
  WithStorage(dtype, [&](auto from) {
    using From = decltype(from);
    result = Convert<To>(Load<From>(bytes + static_cast<size_t>(i) * sizeof(From)));
  });
  return result;
}

size_t AlignmentOf(DType dtype) { return SizeOf(dtype); }

constexpr size_t kHugePage = size_t{2} << 20;

// Of large pages where the machine has them, since touching 512 small ones takes longer than to
// fill them. Null where memory runs out.
std::shared_ptr<void> MapZeros(size_t bytes) {
  const size_t mapped = bytes + kHugePage;  // some large page begins in the first so many bytes
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const uintptr_t address = reinterpret_cast<uintptr_t>(start);
  void* aligned = reinterpret_cast<void*>((address + kHugePage - 1) / kHugePage * kHugePage);
  madvise(aligned, bytes, MADV_HUGEPAGE);  // advice: to refuse it changes no result
  return std::shared_ptr<void>(aligned, [start, mapped](void*) { munmap(start, mapped); });
}

std::string ShapeText(absl::Span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

absl::Status CheckSize(DType dtype, absl::Span<const int64_t> shape, int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * SizeOf(dtype);
  if (bytes <= static_cast<size_t>(Tensor::kMaxBytes)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("a tensor ", AbslView(NameOf(dtype)),
                                                   ShapeText(shape), " has ", bytes,
                                                   " bytes, the most is ", Tensor::kMaxBytes));
}

// For who has no error to return: as where `new` finds no memory.
[[noreturn]] void FindsNoMemory() {
  if (const std::new_handler handler = std::get_new_handler(); handler != nullptr) handler();
  std::abort();
}

}  // namespace

struct Tensor::AlignedCopy {
  std::once_flag made;
  Tensor tensor;
};

absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> shape, size_t element_bytes) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", ShapeText(shape), " has the negative dim ", dim));
    }
    empty |= dim == 0;
  }
  if (empty) return 0;
  for (int64_t dim : shape) {
    if (dim > kLimit / count) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", ShapeText(shape), " has more than 2^40 elements"));
    }
    count *= dim;
  }
  if (element_bytes != 0 && count > kLimit / static_cast<int64_t>(element_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("shape ", ShapeText(shape), " with elements of ",
                                                   element_bytes, " bytes exceeds 2^40 bytes"));
  }
  return count;
}

absl::StatusOr<Tensor> Tensor::Allocate(DType dtype, std::vector<int64_t> shape) {
  const auto count = ElementCount(shape, SizeOf(dtype));
  if (!count.ok()) return count.status();
  if (absl::Status status = CheckSize(dtype, shape, *count); !status.ok()) return status;
  const size_t bytes = static_cast<size_t>(*count) * SizeOf(dtype);
  std::shared_ptr<void> block =
      bytes >= kHugePage ? MapZeros(bytes)
                         // calloc leaves large blocks to be zeroed as they are touched.
                         : std::shared_ptr<void>(std::calloc(bytes + !bytes, 1), std::free);
  if (block == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a tensor of ", bytes, " bytes"));
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = *count;
  tensor.data_ = static_cast<const uint8_t*>(block.get());
  tensor.owner_ = std::move(block);
  return tensor;
}

absl::StatusOr<Tensor> Tensor::View(DType dtype, std::vector<int64_t> shape,
                                    std::shared_ptr<const void> owner,
                                    absl::Span<const uint8_t> data) {
  const auto count = ElementCount(shape, SizeOf(dtype));
  if (!count.ok()) return count.status();
  const size_t bytes = static_cast<size_t>(*count) * SizeOf(dtype);
  if (bytes != data.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a tensor ", AbslView(NameOf(dtype)),
                                                   ShapeText(shape), " takes ", bytes,
                                                   " bytes, there are ", data.size()));
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = *count;
  tensor.owner_ = std::move(owner);
  tensor.data_ = data.data();
  if (reinterpret_cast<uintptr_t>(data.data()) % AlignmentOf(dtype) != 0) {
    tensor.realigned_ = std::make_shared<AlignedCopy>();
  }
  return tensor;
}

struct Tensor::DeferredBytes {
  std::shared_ptr<const support::ByteSource> source;
  std::once_flag made;
  Tensor tensor;
};

absl::StatusOr<Tensor> Tensor::Deferred(DType dtype, std::vector<int64_t> shape,
                                        std::shared_ptr<const support::ByteSource> source) {
  const auto count = ElementCount(shape, SizeOf(dtype));
  if (!count.ok()) return count.status();
  if (absl::Status status = CheckSize(dtype, shape, *count); !status.ok()) return status;
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.size_ = *count;
  tensor.deferred_ = std::make_shared<DeferredBytes>();
  tensor.deferred_->source = std::move(source);
  tensor.owner_ = tensor.deferred_;
  return tensor;
}

const uint8_t* Tensor::Made() const {
  std::call_once(deferred_->made, [this] {
    auto made = Allocate(dtype_, shape_);
    if (!made.ok()) FindsNoMemory();
    deferred_->source->Read(0, {made->mutable_data<uint8_t>(), byte_size()});
    deferred_->tensor = *std::move(made);
  });
  return deferred_->tensor.data_;
}

std::shared_ptr<const support::ByteSource> Tensor::source() const {
  return deferred_ == nullptr ? nullptr : deferred_->source;
}

support::ByteRun Tensor::contents() const {
  return deferred_ == nullptr ? support::ByteRun(bytes())
                              : support::ByteRun(*deferred_->source, byte_size());
}

const uint8_t* Tensor::Realigned() const {
  std::call_once(realigned_->made, [this] {
    auto copy = Allocate(dtype_, shape_);
    if (!copy.ok()) FindsNoMemory();
    std::memcpy(copy->mutable_data<uint8_t>(), data_, byte_size());
    realigned_->tensor = *std::move(copy);
  });
  return realigned_->tensor.data_;
}

template <class T>
Tensor Tensor::Of(DType dtype, std::vector<int64_t> shape, absl::Span<const T> values) {
  auto tensor = Allocate(dtype, std::move(shape));
  if (!tensor.ok()) FindsNoMemory();
  if (tensor->size() != static_cast<int64_t>(values.size())) std::abort();
  WithStorage(dtype, [&](auto to) {
    using To = decltype(to);
    To* out = tensor->mutable_data<To>();
    for (size_t i = 0; i < values.size(); ++i) out[i] = Convert<To>(values[i]);
  });
  return *std::move(tensor);
}

#define TESSERA_OF(T) \
  template Tensor Tensor::Of<T>(DType, std::vector<int64_t>, absl::Span<const T>);
TESSERA_OF(bool)
TESSERA_OF(int8_t)
TESSERA_OF(int16_t)
TESSERA_OF(int32_t)
TESSERA_OF(int64_t)
TESSERA_OF(uint8_t)
TESSERA_OF(uint16_t)
TESSERA_OF(uint32_t)
TESSERA_OF(uint64_t)
TESSERA_OF(float)
TESSERA_OF(double)
#undef TESSERA_OF

Tensor Tensor::Reshaped(std::vector<int64_t> shape) const {
  const auto count = ElementCount(shape, SizeOf(dtype_));
  if (!count.ok() || *count != size_) std::abort();
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

double Tensor::AsDouble(int64_t i) const { return ElementAs<double>(dtype_, Elements(), i); }

int64_t Tensor::AsInt(int64_t i) const { return ElementAs<int64_t>(dtype_, Elements(), i); }

Tensor Tensor::CastTo(DType dtype) const {
  auto result = Allocate(dtype, shape_);
  if (!result.ok()) FindsNoMemory();
  WithStorage(dtype_, [&](auto from) {
    using From = decltype(from);
    WithStorage(dtype, [&](auto to) {
      using To = decltype(to);
      To* out = result->mutable_data<To>();
      const uint8_t* const from_bytes = Elements();
      for (int64_t i = 0; i < size_; ++i) {
        out[i] = Convert<To>(Load<From>(from_bytes + static_cast<size_t>(i) * sizeof(From)));
      }
    });
  });
  return *std::move(result);
}

bool Identical(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.contents() == b.contents();
}

}  // namespace tessera::ir
