// Random rewrites of terms that keep the value, and some that do not. Each is plain arithmetic,
// written without a look at the normal form.
#ifndef TESSERA_SOLVER_TESTING_RANDOM_REWRITES_H_
#define TESSERA_SOLVER_TESTING_RANDOM_REWRITES_H_

#include "solver/testing/random_terms.h"

namespace tessera::solver {

// `root` with one subterm replaced by an equal one.
Terms::Id Rewrite(Choices& choices, const Grammar& grammar, Terms& terms, Terms::Id root);
// `root` with one subterm replaced by a similar one, which is another at most values.
Terms::Id Perturb(Choices& choices, const Grammar& grammar, Terms& terms, Terms::Id root);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_TESTING_RANDOM_REWRITES_H_
