// The operations of a loop that stays one, which have no definitions: what their types follow from,
// next to what the certificate lists.
#ifndef TESSERA_RECHECK_LOOP_OPERATIONS_H_
#define TESSERA_RECHECK_LOOP_OPERATIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/session.h"
#include "recheck/terms.h"
#include "recheck/value.h"

namespace tessera::recheck {

class LoopOperations {
 public:
  using Results = std::optional<std::vector<TensorPtr>>;  // nothing: the session knows why

  LoopOperations(Session& session, std::string node) : session_(session), node_(std::move(node)) {}

  // Whether the certificate has one at the node.
  bool IsListed() const;
  // Its position, and states that have the types of the initial ones. Null condition: none.
  Results Begin(const TensorPtr& trips, const TensorPtr& condition,
                const std::vector<TensorPtr>& initial);
  // Of `x`, which is as long as the loop, what there is at its position.
  Results Entry(const TensorPtr& position, const TensorPtr& x, Dim length);
  // `here`: position and states; `step`: what follows each state, and what is collected. Nothing
  // for `length`: as data says.
  Results End(const std::vector<TensorPtr>& here, const TensorPtr& again,
              const std::vector<TensorPtr>& step, std::optional<Dim> length);

 private:
  Results Take(const std::string& op, std::vector<TensorPtr> operands,
               const std::vector<Tensor>& computed);
  void RequireEqual(const std::string& op, const std::string& id, Dim a, Dim b);

  Session& session_;
  const std::string node_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_LOOP_OPERATIONS_H_
