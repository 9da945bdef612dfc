// Changes of protobuf messages, field by field.
#ifndef TESSERA_FUZZ_TARGETS_MESSAGE_MUTATION_H_
#define TESSERA_FUZZ_TARGETS_MESSAGE_MUTATION_H_

#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "testing/sampling/random.h"

namespace tessera::fuzz {

// One field somewhere below `message` is set, cleared, doubled, moved, or gets the value of another
// field of its type elsewhere in the message; texts also become one of `words`.
void MutateMessage(const std::vector<std::string>& words, google::protobuf::Message& message,
                   testing::Random& random);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_TARGETS_MESSAGE_MUTATION_H_
