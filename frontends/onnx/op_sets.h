// Which version of which op set a model, or a function in it, is written in, and which import
// clause fits a node.
#ifndef TESSERA_FRONTENDS_ONNX_OP_SETS_H_
#define TESSERA_FRONTENDS_ONNX_OP_SETS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/op_info.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

// The newest version of ai.onnx that the import clauses were written against. A later one may have
// changed what an op means.
inline constexpr int kNewestOpset = 28;
// The same of any of ONNX's own domains; nullopt for those of others, whose versions nobody counts.
std::optional<int> NewestOpset(absl::string_view domain);

// "" and "ai.onnx" are the same domain; this is the latter.
std::string DomainName(absl::string_view domain);

class OpSets {
 public:
  // Problems (a domain twice in different versions, a version below 1, where `strict` one above
  // NewestOpset) go to `failures`. Domains of others that clauses are for, whose versions nobody
  // counts, are supposed at version 1 where they are not among `imports`, as ONNX Runtime does;
  // where `strict` they are not.
  OpSets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports, bool strict,
         std::vector<std::string>& failures);

  // As the model says, or as supposed; `domain` as DomainName gives it.
  std::optional<int> Version(const std::string& domain) const;
  bool Supposed(const std::string& domain) const;
  // The one that its nodes are read by: the newest known, where the model's is newer.
  std::optional<int> ReadAs(const std::string& domain) const;
  void Assume(const std::string& domain, int version) { versions_.emplace(domain, version); }

 private:
  std::map<std::string, int> versions_;
  bool strict_;
};

// The clause for `op` of `domain` at `version`: the newest whose range has it. Else null, and
// `reason` says what there is instead; `suggest` allows it to search for similar names.
const ir::ImportInfo* FindImport(const std::string& domain, const std::string& op, int version,
                                 bool suggest, std::string& reason);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_OP_SETS_H_
