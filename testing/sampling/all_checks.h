// What is sampled in the test suite: every definition, and each check that is for it.
#ifndef TESSERA_TESTING_SAMPLING_ALL_CHECKS_H_
#define TESSERA_TESTING_SAMPLING_ALL_CHECKS_H_

#include <string>
#include <vector>

#include "testing/sampling/checks.h"
#include "testing/sampling/instance.h"

namespace tessera::testing {

struct Sampled {
  std::vector<Subject> subjects;
  std::vector<Check> checks;
};

// Of the core dialect, whose ops are in the registry then.
std::vector<Subject> CoreSubjects();

// Puts the ops into the registry. Core, then what targets define.
std::vector<Sampled> AllSampled();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_ALL_CHECKS_H_
