// What is checked of each definition by sampling, and what sampling did not reach.
#ifndef TESSERA_TESTING_SAMPLING_CHECKS_H_
#define TESSERA_TESTING_SAMPLING_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/sampling/agreement.h"
#include "testing/sampling/instance.h"

namespace tessera::testing {

struct Findings {
  std::string summary;  // what was looked at, in one line
  std::string failure;  // empty: none
  // `CHECK DIALECT.OP: TEXT`: what could not be looked at, with its reason, and what is known to
  // differ; the same for the same seed and count. A golden has these lines.
  std::vector<std::string> notes;
  // `CHECK DIALECT.OP: samples: SUMMARY`: a golden has it of definitions that are known, so that
  // none means something else unnoticed.
  std::string pin;
};

struct Check {
  std::string name;
  int count;  // instances of an op in the test suite
  Findings (*run)(const Subject& subject, const std::string& name, uint64_t seed, int count);
};

Findings Run(const Check& check, const Subject& subject, uint64_t seed, int count);

// `agreement`: all that computes an op agrees. `rewrites`: the sides of its rewrites do.
const std::vector<Check>& CommonChecks();

// Of a campaign over instances.
Findings SampleInstances(const Subject& subject, const std::string& name, const Property& property,
                         uint64_t seed, int count, Seen& seen);
void Note(const Subject& subject, const std::string& name, const std::string& text,
          Findings& findings);

inline constexpr uint64_t kSuiteSeed = 7;

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_CHECKS_H_
