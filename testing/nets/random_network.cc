#include "testing/nets/random_network.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "testing/nets/random_text.h"

namespace tessera::testing {
namespace {

struct Tensor {
  std::string name;
  int rank;
};

class Builder : RandomText {
 public:
  explicit Builder(uint64_t seed) : RandomText(seed) {}

  std::string Run() {
    const int inputs = 1 + Below(2);
    for (int i = 0; i < inputs; ++i) AddInput();
    const int steps = 2 + Below(4);
    for (int i = 0; i < steps; ++i) Step();
    return absl::StrCat("<ir_version: 8, opset_import: [\"\" : 17]>\ng (",
                        absl::StrJoin(inputs_, ", "), ") => (float ", tensors_.back().name, ") {\n",
                        nodes_, "}\n");
  }

 private:
  void AddInput() {
    const int rank = 1 + Below(3);
    std::vector<std::string> dims;
    for (int d = 0; d < rank; ++d)
      dims.push_back(Of<std::string>({"T", "T", "S", "H", "1", "2", "4"}));
    const std::string name = absl::StrCat("x", inputs_.size());
    inputs_.push_back(absl::StrCat("float[", absl::StrJoin(dims, ","), "] ", name));
    tensors_.push_back({name, rank});
  }

  std::string Ints(const std::vector<int>& values) {
    return Node(absl::Substitute("Constant <value = int64[$0] {$1}>", values.size(),
                                 absl::StrJoin(values, ", ")),
                "");
  }

  // A tensor of one integer: a dim, or what is computed from dims.
  std::string Size() {
    if (sizes_.empty() || Below(2) == 0) {
      const Tensor& x = Of(tensors_);
      if (x.rank == 0) return Ints({1 + Below(4)});
      const std::string index = Ints({Below(x.rank)});
      const std::string dims = Node("Shape", x.name);
      sizes_.push_back(Node("Gather", absl::StrCat(dims, ", ", index)));
      return sizes_.back();
    }
    const std::string op =
        Of<std::string>({"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "wrap"});
    const std::string a = Of(sizes_);
    const std::string b = Below(3) == 0 ? Of(sizes_) : Ints({1 + Below(4)});
    if (op == "wrap") {
      const std::string narrow = Node(absl::StrCat("Cast <to = ", Of<int>({2, 3, 6}), ">"), a);
      sizes_.push_back(Node("Cast <to = 7>", narrow));
    } else {
      sizes_.push_back(Node(op, absl::StrCat(a, ", ", b)));
    }
    return sizes_.back();
  }
  std::string SizeOr(const std::vector<int>& numbers) {
    return Below(2) == 0 ? Size() : Ints({Of(numbers)});
  }
  std::string List(int count, const std::vector<int>& numbers) {
    std::vector<std::string> parts;
    for (int i = 0; i < count; ++i) parts.push_back(SizeOr(numbers));
    return Node("Concat <axis = 0>", absl::StrJoin(parts, ", "));
  }

  void Put(const std::string& op, const std::string& operands, int rank) {
    tensors_.push_back({Node(op, operands), rank});
  }

  void Step() {
    const Tensor x = Of(tensors_);
    const Tensor z = Of(tensors_);
    const int axis = x.rank == 0 ? 0 : Below(x.rank);
    const std::string both = absl::StrCat(x.name, ", ", z.name);
    const std::string at_axis = absl::StrCat("axis = ", axis, ">");
    switch (x.rank == 0 ? 0 : Below(16)) {
      case 0:
        return Put(Of<std::string>({"Add", "Mul", "Max"}), both, std::max(x.rank, z.rank));
      case 1:
        return Put("Expand", absl::StrCat(x.name, ", ", List(x.rank, {1, 2, 4})), x.rank);
      case 2: {
        const int rank = 1 + Below(3);
        return Put("Reshape", absl::StrCat(x.name, ", ", List(rank, {-1, 0, 1, 2})), rank);
      }
      case 3:
        return Put("Slice",
                   absl::StrJoin({x.name, SizeOr({0, 1, -1, -3}), SizeOr({1, 2, 9999, -1}),
                                  Ints({axis}), Ints({Of<int>({1, 1, 2, -1})})},
                                 ", "),
                   x.rank);
      case 4: {
        std::vector<std::string> pads(static_cast<size_t>(2 * x.rank), Ints({0}));
        pads[static_cast<size_t>(Below(2 * x.rank))] = SizeOr({1, 2, 3, -1});
        return Put(
            absl::StrCat("Pad <mode = \"", Of<std::string>({"constant", "reflect", "edge"}), "\">"),
            absl::StrCat(x.name, ", ", Node("Concat <axis = 0>", absl::StrJoin(pads, ", "))),
            x.rank);
      }
      case 5:
        return Put("Tile", absl::StrCat(x.name, ", ", List(x.rank, {1, 2})), x.rank);
      case 6:
        return Put(absl::StrCat("Concat <", at_axis), both, x.rank);
      case 7:
        if (z.rank < 2 || x.rank < 2) return;
        return Put("MatMul", both, std::max(x.rank, z.rank));
      case 8:
        return Put(absl::StrCat("Gather <", at_axis),
                   absl::StrCat(x.name, ", ", SizeOr({0, 1, 3, -1, -2})), x.rank);
      case 9: {
        const std::string length = Node("Squeeze", Size());
        const std::string zero = Node("Constant <value = int64 {0}>", "");
        const std::string step =
            Node(absl::StrCat("Constant <value = int64 {", 1 + Below(2), "}>"), "");
        const std::string range = Node("Range", absl::StrJoin({zero, length, step}, ", "));
        return Put(
            absl::StrCat("Gather <", at_axis),
            absl::StrCat(x.name, ", ", Node("Add", absl::StrCat(range, ", ", Ints({Below(2)})))),
            x.rank);
      }
      case 10: {
        const std::string other = Name(), name = Name();
        absl::StrAppend(&nodes_, "  ", name, ", ", other, " = Split <", at_axis, " (", x.name,
                        ")\n");
        tensors_.push_back({name, x.rank});
        return;
      }
      case 11:
        return Put("Squeeze", absl::StrCat(x.name, ", ", Ints({axis})), x.rank - 1);
      case 12:
        return Put("ConstantOfShape", List(2, {1, 2}), 2);
      case 13: {
        const std::string name = Name(), indices = Name();
        absl::StrAppend(&nodes_, "  ", name, ", ", indices, " = TopK <", at_axis, " (", x.name,
                        ", ", SizeOr({1, 2}), ")\n");
        tensors_.push_back({name, x.rank});
        return;
      }
      case 14: {
        if (x.rank != 3) return;
        const int stride = 1 + Below(2), length = 1 + Below(3);
        const std::string op = Of<std::string>({"MaxPool", "AveragePool"});
        return Put(absl::StrCat(op, " <kernel_shape = [", length, "], strides = [", stride, "]>"),
                   x.name, 3);
      }
      default:
        return Put("ReduceSum <keepdims = 1>", absl::StrCat(x.name, ", ", Ints({axis})), x.rank);
    }
  }

  std::vector<std::string> inputs_, sizes_;
  std::vector<Tensor> tensors_;
};

}  // namespace

std::string RandomNetwork(uint64_t seed) { return Builder(seed).Run(); }

}  // namespace tessera::testing
