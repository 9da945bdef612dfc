// Whether what is assumed of sizes beyond their ranges is what options say, and what sizes that go
// through floats ask for.
#ifndef TESSERA_RECHECK_FACTS_H_
#define TESSERA_RECHECK_FACTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recheck/session.h"
#include "recheck/terms.h"
#include "solver/certificate/certificate.h"

namespace tessera::recheck {

class Facts {
 public:
  Facts(const certificate::Certificate& certificate, Session& session);

  // The sizes that model and options admit of a symbol: low, low + stride, ..., high.
  void Declare(const std::string& symbol, int64_t low, int64_t high, int64_t stride) {
    sizes_[symbol] = {low, high, high, stride};
  }
  // What an option says of a dim that others define.
  void Allow(Dim statement, std::string origin) {
    allowed_.push_back({statement, std::move(origin)});
  }
  // The largest size of a symbol within the bounds that are listed.
  int64_t MostOf(const std::string& symbol, int64_t high, int64_t modulus, int64_t residue) const;

  // Whether what was allowed leaves of a symbol no size beyond `last`, above or below it; then its
  // sizes end there.
  bool EndsAt(const std::string& symbol, int64_t last, bool above);

  // What is wrong, after all was declared and allowed.
  std::vector<std::string> Compare();

 private:
  // `symbol <= most`, a power of two from 2^12 on.
  struct Bound {
    std::string symbol;
    int64_t most = 0;
    std::string statement, origin;
    bool taken = false;
  };
  struct Sizes {
    int64_t low = 0, high = 0, declared = 0, stride = 1;  // high: with what was taken until now
  };
  struct Allowed {
    Dim statement = 0;
    std::string origin;
  };

  void TakeBounds(const Exactness& exact);
  void CompareWitness();
  // The value of a proposition at sizes; nothing: it has none that 64 bits hold.
  std::optional<int64_t> At(Dim statement, const std::map<std::string, int64_t>& sizes);
  std::optional<bool> HoldsAt(const Exactness& exact, const std::map<std::string, int64_t>& sizes);
  bool IsAdmitted(std::map<std::string, int64_t> at);
  bool IsSilent(Dim statement);
  // Whether what holds nowhere next to `last` holds nowhere beyond it either, and holds not there.
  bool Excludes(Dim statement, const std::string& symbol, int64_t next, bool above);
  std::vector<std::string> SymbolsOf(const std::vector<Dim>& statements) const;

  const certificate::Certificate& certificate_;
  Session& session_;
  std::map<std::string, Sizes> sizes_;
  std::vector<Allowed> allowed_;
  std::vector<Bound> bounds_;
  std::vector<const certificate::DeclaredFact*> others_;
  std::vector<std::string> failures_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_FACTS_H_
