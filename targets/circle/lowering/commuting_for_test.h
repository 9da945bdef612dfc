// What definitions say of transposes, by transposing their examples.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_COMMUTING_FOR_TEST_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_COMMUTING_FOR_TEST_H_

namespace tessera::circle {

// A test per operator that commutes with transposes, named by it. The dialect is registered.
void RegisterCommutingTests();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_COMMUTING_FOR_TEST_H_
