// ONNX models: messages with other fields, nodes and names, rather than other bytes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/onnx/import_fuzz.h"
#include "fuzz/targets/message_mutation.h"
#include "fuzz/targets/target.h"
#include "ir/registry.h"
#include "onnx/onnx_pb.h"
#include "testing/nets/corpus.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();  // generated
}  // namespace tessera::ops

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  [[maybe_unused]] static const bool linked = (ir::Registry::Global().Add(ops::CoreOps()), true);
  bool imported = false;
  return onnx_import::FuzzImport(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                 imported);
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  std::vector<std::string> seeds;
  for (const testing::Network& network : testing::WrittenNetworks())
    seeds.push_back(network.model.SerializeAsString());
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) return WithOtherBytes(bytes, random);
  for (int64_t changes = 1 + random.Below(3); changes > 0; --changes)
    MutateMessage(words, model, random);
  return model.SerializeAsString();
}

}  // namespace tessera::fuzz
