// Certificates that are changed at random, and what of a change counts.
#ifndef TESSERA_TESTING_TAMPERING_TAMPERER_H_
#define TESSERA_TESTING_TAMPERING_TAMPERER_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "solver/certificate/certificate.h"

namespace tessera::testing {

// Of all values within the JSON.
std::vector<nlohmann::ordered_json::json_pointer> PlacesOf(const nlohmann::ordered_json& json);

// Left out or weakened, these are proved all the same: the compiler may find that they need not
// be said. Decisions are needed only where the definitions ask for one.
bool GoesWithoutSaying(const certificate::Obligation& o);

// Without what claims nothing (the model's file name, elements that nothing asks for), and without
// statements on which nothing rests: those beyond what definitions require.
std::string Claims(certificate::Certificate certificate);

// Whether what was changed says the same in other words: then more is left to be proved as the
// definitions have it.
bool IsInOtherWords(const std::string& model, const certificate::Certificate& original,
                    const certificate::Certificate& changed);

class Tamperer {
 public:
  // The JSON must outlive it.
  Tamperer(const nlohmann::ordered_json& json, uint32_t seed);
  // The JSON with one value left out, doubled, moved or replaced.
  nlohmann::ordered_json Change();

 private:
  size_t Below(size_t n) { return random_() % n; }

  const nlohmann::ordered_json& json_;
  std::vector<nlohmann::ordered_json::json_pointer> places_;
  std::vector<std::string> texts_;
  std::mt19937 random_;
};

// Of `changes` random ones those that are certificates and claim something else, completed as who
// knows the format would (the formulas agree with the statements). Returns how many there were.
int EachOtherClaim(const certificate::Certificate& original, int changes, uint32_t seed,
                   const std::function<void(const certificate::Certificate&)>& check);

// In JSON, as a patch (RFC 6902).
std::string Difference(const certificate::Certificate& original,
                       const certificate::Certificate& changed);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_TAMPERING_TAMPERER_H_
