// What definitions compute on the way to a result, as tensors.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::RefIndex;
using codegen::RefStatement;

std::vector<Value> Interpreter::PositionOf(int64_t n, const std::vector<int64_t>& shape) {
  std::vector<Value> position(shape.size());
  for (size_t d = shape.size(); d-- > 0; n /= shape[d])
    position[d] = Value::Int(terms_.Integer(n % shape[d]));
  return position;
}

// A temp becomes a tensor, which what follows reads.
void Interpreter::Compute(const RefStatement& temp) {
  Tensor computed;
  computed.dtype = temp.type;
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const RefIndex& index : temp.indices) {
    if (index.list == nullptr || index.order != RefIndex::kAnyOrder ||
        (temp.type[0] != 'i' && temp.type != "bool")) {
      Unsupported(absl::StrCat("how `", temp.target, "` is computed"));
      return;
    }
    const Value extent = Evaluate(index.list);
    if (index.pack) {
      for (const Dim dim : AsDims(extent)) computed.dims.push_back(dim);
    } else {
      computed.dims.push_back(AsDim(extent));
    }
  }
  for (const Dim dim : computed.dims) {
    shape.push_back(AsHost(Value::Int(dim)));
    if (shape.back() < 0 || (count *= shape.back()) > kMaxTracked)
      Unsupported(absl::StrCat("as many elements as `", temp.target, "` has"));
    if (!ok()) return;
  }
  for (int64_t n = 0; ok() && !data_ && n < count; ++n)
    computed.elements.push_back(AsDim(ElementAt(temp, PositionOf(n, shape))));
  computed.has_elements = true;
  Bind(temp.target, Value::Of(std::make_shared<Tensor>(std::move(computed))));
}

}  // namespace tessera::recheck
