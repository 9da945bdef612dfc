// Text of nests, in the spelling of the op language.
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nests/nest.h"

namespace tessera::nests {
namespace {

class Printer {
 public:
  explicit Printer(const Computation& computation) : computation_(computation) {}

  std::string Text(const Scalar& scalar) const {
    switch (scalar->kind) {
      case ScalarNode::kLiteral:
        return ToString(scalar->literal);
      case ScalarNode::kIndex:
        return absl::StrCat("(", scalar->index.ToString(), ")");
      case ScalarNode::kRead:
        return Read(scalar);
      case ScalarNode::kReduce:
        return Reduce(scalar);
      case ScalarNode::kCall:
        return Call(scalar);
      case ScalarNode::kChoose:
        return absl::StrCat("(", scalar->index.ToString(), " ? ", Text(scalar->args[0]), " : ",
                            Text(scalar->args[1]), ")");
      case ScalarNode::kCast:
        return absl::StrCat("cast(", std::string(NameOf(scalar->number)), ", ",
                            Text(scalar->args[0]), ")");
      case ScalarNode::kWithin:
        return absl::StrCat("within(", Text(scalar->args[0]), ", ", scalar->index.ToString(), ")");
    }
    return "";
  }

  std::string Text(const Nest& nest) const {
    std::string domain;
    for (size_t i = 0; i < nest.axes.size(); ++i) {
      const bool sequential = nest.order.along == static_cast<int>(i);
      absl::StrAppend(&domain, domain.empty() ? "" : ", ", nest.axes[i].symbol.ToString(),
                      !sequential          ? " in 0.."
                      : nest.order.reverse ? " scan reverse in 0.."
                                           : " scan in 0..",
                      nest.axes[i].extent.ToString());
    }
    std::vector<std::string> at;
    for (const Expr& index : nest.at) at.push_back(index.ToString());
    return absl::StrCat(nest.order.together ? "and for " : "for ", domain.empty() ? "once" : domain,
                        ": ", computation_.At(nest.target).name, "[", absl::StrJoin(at, ", "),
                        "] = ", Text(nest.body));
  }

 private:
  std::string Read(const Scalar& scalar) const {
    std::vector<std::string> at;
    for (const Index& index : scalar->at)
      at.push_back(index.data.IsNone() ? index.expr.ToString() : Text(index.data));
    const std::string read =
        absl::StrCat(computation_.At(scalar->tensor).name, "[", absl::StrJoin(at, ", "), "]");
    return scalar->args.empty() ? read
                                : absl::StrCat("(", read, " ?? ", Text(scalar->args[0]), ")");
  }

  std::string Reduce(const Scalar& scalar) const {
    std::vector<std::string> axes, terms;
    for (const Axis& axis : scalar->axes)
      axes.push_back(absl::StrCat(axis.symbol.ToString(), " in 0..", axis.extent.ToString()));
    for (const Scalar& term : scalar->args) terms.push_back(Text(term));
    return absl::StrCat(std::string(NameOf(scalar->reduction)), "(", absl::StrJoin(axes, ", "),
                        axes.empty() ? "" : ": ", absl::StrJoin(terms, "; "), ")");
  }

  std::string Call(const Scalar& scalar) const {
    const std::string name(NameOf(scalar->function));
    std::vector<std::string> args;
    for (const Scalar& arg : scalar->args) args.push_back(Text(arg));
    if (absl::ascii_isalpha(static_cast<unsigned char>(name[0])))
      return absl::StrCat(name, "(", absl::StrJoin(args, ", "), ")");
    return args.size() == 1
               ? absl::StrCat(name, args[0])
               : absl::StrCat("(", absl::StrJoin(args, absl::StrCat(" ", name, " ")), ")");
  }

  const Computation& computation_;
};

std::string Line(const TensorInfo& info, absl::string_view kind) {
  std::vector<std::string> dims;
  for (const Expr& dim : info.dims) dims.push_back(dim.ToString());
  return info.present ? absl::StrCat(kind, " ", info.name, " : ", std::string(NameOf(info.dtype)),
                                     "[", absl::StrJoin(dims, ", "), "]\n")
                      : absl::StrCat(kind, " ", info.name, " absent\n");
}

}  // namespace

std::string ToString(const Computation& computation, const Scalar& scalar) {
  return Printer(computation).Text(scalar);
}

std::string ToString(const Computation& computation, const Nest& nest) {
  return Printer(computation).Text(nest);
}

std::string ToString(const Computation& computation) {
  std::string text;
  for (const TensorInfo& info : computation.operands) absl::StrAppend(&text, Line(info, "in"));
  for (const TensorInfo& info : computation.temps) absl::StrAppend(&text, Line(info, "temp"));
  for (const TensorInfo& info : computation.results) absl::StrAppend(&text, Line(info, "out"));
  for (const Nest& nest : computation.nests)
    absl::StrAppend(&text, ToString(computation, nest), "\n");
  return text;
}

}  // namespace tessera::nests
