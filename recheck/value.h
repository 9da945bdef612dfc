// What expressions of the op language are, when they are interpreted.
#ifndef TESSERA_RECHECK_VALUE_H_
#define TESSERA_RECHECK_VALUE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recheck/fraction.h"
#include "recheck/terms.h"

namespace tessera::recheck {

// Integers that grow by the same from each index of an axis of symbolic size to the next.
struct Progression {
  // Over the axes of known size, row-major, at index 0 of the others; and what each grows by, one
  // number per axis.
  std::vector<Dim> first;
  std::vector<std::vector<Dim>> steps;
};

struct Tensor {
  // Of what is no tensor only the entries count.
  enum class Held { kTensor, kSequence, kNothing } held = Held::kTensor;
  std::vector<std::shared_ptr<const Tensor>> entries;
  std::string dtype;
  std::vector<Dim> dims;
  bool has_elements = false;
  std::vector<Dim> elements;  // of integers and bools, row-major
  bool has_numbers = false;
  std::vector<double> numbers;  // of constants
  // Elements that no certificate lists because floats, or integers that could wrap, are on their
  // way to a size; and under which conditions they are those.
  std::vector<Fraction> through;
  std::vector<Dim> needs;
  // Where the elements are not known, but that all lie between these: as `extremes` of the op
  // language.
  std::vector<Dim> extremes;
  bool loose = false;  // the compiler may not know them
  bool given = false;  // a graph input: nobody knows them
  // What they are computed from, whatever is known of them.
  enum class Source { kData, kConstants, kSizes } source = Source::kData;
  std::shared_ptr<const Progression> progression;
  // Why elements that others may know are not known here; empty where they are computed from data.
  std::string unread;
};
using TensorPtr = std::shared_ptr<const Tensor>;

struct Value {
  enum Kind {
    kAbsent,
    kInt,    // dim; also truth values, 0 or 1, and propositions
    kFloat,  // number
    kFraction,
    kText,    // a string, an enum's value
    kDType,   // text
    kList,    // items; of tensors: a variadic operand, or the results of a term
    kTensor,  // tensor
  };
  Kind kind = kAbsent;
  Dim dim = 0;
  double number = 0;
  Fraction fraction;
  std::string text;
  std::vector<Value> items;
  TensorPtr tensor;
  bool results = false;  // a list that stands for its first item, too

  static Value Int(Dim dim) {
    Value v;
    v.kind = kInt;
    v.dim = dim;
    return v;
  }
  static Value Float(double number) {
    Value v;
    v.kind = kFloat;
    v.number = number;
    return v;
  }
  static Value Through(const Fraction& fraction) {
    Value v;
    v.kind = kFraction;
    v.fraction = fraction;
    return v;
  }
  static Value Text(std::string text) {
    Value v;
    v.kind = kText;
    v.text = std::move(text);
    return v;
  }
  static Value DType(std::string text) {
    Value v = Text(std::move(text));
    v.kind = kDType;
    return v;
  }
  static Value List(std::vector<Value> items) {
    Value v;
    v.kind = kList;
    v.items = std::move(items);
    return v;
  }
  static Value Of(TensorPtr tensor) {
    Value v;
    if (tensor == nullptr) return v;
    v.kind = kTensor;
    v.tensor = std::move(tensor);
    return v;
  }
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_VALUE_H_
