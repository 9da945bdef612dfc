// Whether an edited clause for an operator of PyTorch still means what PyTorch computes.
#ifndef TESSERA_TESTING_MUTATION_PROGRAM_JUDGE_H_
#define TESSERA_TESTING_MUTATION_PROGRAM_JUDGE_H_

#include <set>
#include <string>

namespace tessera::testing {

// Programs are folders of FOLDER with a `model.pt2` and what PyTorch computed: the names of those
// that the reference computes as well.
std::set<std::string> ProgramsThatHold(const std::string& folder);

// Complaints about those of `known` that call one of `overloads`; empty: none.
std::string ProgramComplaints(const std::string& folder, const std::set<std::string>& known,
                              const std::set<std::string>& overloads);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_MUTATION_PROGRAM_JUDGE_H_
