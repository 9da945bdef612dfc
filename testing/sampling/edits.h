// Small changes of instances that respect what a signature ties together.
#ifndef TESSERA_TESTING_SAMPLING_EDITS_H_
#define TESSERA_TESTING_SAMPLING_EDITS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testing/sampling/instance.h"
#include "testing/sampling/random.h"

namespace tessera::testing {

class Editor {
 public:
  Editor(const Subject& subject, Random& random) : subject_(subject), random_(random) {}

  // One change; whether the instance is still legal is for inference to say. Tensors of new shapes
  // or dtypes have zeros where they had no value.
  void Edit(Instance& instance);

 private:
  struct Axis {
    size_t operand, axis;
  };

  void EditDim(Instance& instance);
  void EditRank(Instance& instance);
  void EditType(Instance& instance);
  void EditAttribute(Instance& instance);
  void EditPresence(Instance& instance);
  void EditCount(Instance& instance);
  void EditElements(Instance& instance);

  template <class T>
  void EditList(std::vector<T>& list, const Instance& instance, bool free_length);
  int64_t Integer(int64_t now, const Instance& instance);
  double Real(double now);
  int64_t Size(int64_t now, const Instance& instance);
  std::optional<int64_t> AnySize(const Instance& instance);
  ir::DType DTypeFor(const Instance& instance, size_t operand);
  std::vector<int64_t> ShapeFor(const Instance& instance, size_t operand);

  const Subject& subject_;
  Random& random_;
};

// What stands at an axis of an operand of that rank: `name`, or `name` with the position in the
// pack; the name is empty where nothing ties it.
struct AxisName {
  std::string name;
  int64_t position = -1;
  int64_t from_end = -1;  // in the pack
};
AxisName NameOfAxis(const ops::OperandSignature& signature, int64_t rank, int64_t axis);

// The same elements as far as the new shape has them, zeros elsewhere.
ir::Tensor Resized(const ir::Tensor& tensor, ir::DType dtype, std::vector<int64_t> shape);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_EDITS_H_
