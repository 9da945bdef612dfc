#include "testing/nets/random_loops.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "testing/nets/random_text.h"

namespace tessera::testing {
namespace {

class Builder : RandomText {
 public:
  explicit Builder(uint64_t seed) : RandomText(seed) {}

  std::string Run() {
    const int steps = 6 + Below(10);
    for (int i = 0; i < steps; ++i) Step();
    // What nothing takes goes out.
    std::vector<std::string> outputs;
    for (const std::vector<std::string>* made : {&rows_, &states_}) {
      for (size_t i = 1; i < made->size(); ++i) {
        if (taken_.count((*made)[i]) == 0) outputs.push_back(absl::StrCat("float ", (*made)[i]));
      }
    }
    return absl::StrCat("<ir_version: 8, opset_import: [\"\" : 16]>\ng (float[L,8] x, float[8] h)",
                        " => (", absl::StrJoin(outputs, ", "), ")\n    <float third = {0.3}> {\n",
                        nodes_, "}\n");
  }

 private:
  std::string Take(const std::vector<std::string>& list) { return *taken_.insert(Of(list)).first; }
  std::string Function() {
    return Of<std::string>({"Sigmoid", "Tanh", "Sin", "Cos", "Abs", "Neg", "Relu"});
  }

  void Step() {
    switch (Below(8)) {
      case 0:
      case 1:
        return rows_.push_back(Node(Function(), Take(rows_)));
      case 2:
        return states_.push_back(Node(Function(), Take(states_)));
      case 3: {
        const std::string rows = Take(rows_);
        return rows_.push_back(Node("Add", absl::StrCat(rows, ", ", Take(states_))));
      }
      case 4:
        return states_.push_back(Node("ReduceMean <axes = [0], keepdims = 0>", Take(rows_)));
      case 5:
      case 6:
        return AddLoop();
      default:
        return AddChoice();
    }
  }

  void AddLoop() {
    const std::string factor = Take(states_), first = Take(states_), steps = Take(rows_);
    const std::string last = Name(), all = Name();
    absl::StrAppend(
        &nodes_,
        absl::Substitute(
            "  $0, $1 = Scan <num_scan_inputs = 1, body = b (float[8] a$0, float[8] e$0) => "
            "(float[8] n$0, float[8] o$0) {\n    m$0 = Mul (a$0, $2)\n    t$0 = Tanh (m$0)\n"
            "    n$0 = Add (t$0, e$0)\n    o$0 = Sin (n$0)\n  }> ($3, $4)\n",
            last, all, factor, first, steps));
    states_.push_back(last);
    rows_.push_back(all);
  }

  void AddChoice() {
    const std::string greatest = Node("ReduceMax <keepdims = 0>", Take(rows_));
    const std::string holds = Node("Less", absl::StrCat(greatest, ", third"));
    const std::string a = Take(rows_), b = Take(rows_), made = Name();
    absl::StrAppend(
        &nodes_,
        absl::Substitute("  $0 = If ($1) <then_branch = t () => (float[L,8] r$0) {\n"
                         "    q$0 = Sin ($2)\n    r$0 = Mul (q$0, $3)\n  }, else_branch = e () => "
                         "(float[L,8] w$0) {\n    u$0 = Cos ($3)\n    w$0 = Add (u$0, $2)\n  }>\n",
                         made, holds, a, b));
    rows_.push_back(made);
  }

  std::vector<std::string> rows_ = {"x"}, states_ = {"h"};  // [L,8] and [8]
  std::set<std::string> taken_;
};

}  // namespace

std::string RandomLoops(uint64_t seed) { return Builder(seed).Run(); }

}  // namespace tessera::testing
