// What an attribute of a node, or an argument of a call, is to the clauses that read it.
#ifndef TESSERA_RECHECK_ATTRIBUTE_H_
#define TESSERA_RECHECK_ATTRIBUTE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "recheck/value.h"

namespace tessera::recheck {

struct Attribute {
  int64_t whole = 0;
  double real = 0;
  std::string text;
  std::vector<int64_t> wholes;
  std::vector<double> reals;
  std::vector<std::string> texts;
  std::string dtype;  // empty: it names no element type that is known
  TensorPtr tensor;
  // Why its numbers are not known; empty: they are.
  std::string unread;
};

using Arguments = std::map<std::string, Attribute>;

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_ATTRIBUTE_H_
