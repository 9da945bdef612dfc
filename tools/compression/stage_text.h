// What a stage of compression made, and how good a model is, as bytes that a later run reads.
#ifndef TESSERA_TOOLS_COMPRESSION_STAGE_TEXT_H_
#define TESSERA_TOOLS_COMPRESSION_STAGE_TEXT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/compression/controller.h"
#include "tools/compression/run.h"

namespace tessera::tools {

struct StageResult {
  std::string model;  // bytes of the file
  std::vector<std::string> commands, merged;
  std::vector<std::unique_ptr<compression::Controller>> controllers;
};

std::string ToBytes(const StageResult& stage);
std::string ToBytes(const std::vector<Quality>& qualities);
// Nothing: the bytes are none of those.
std::optional<StageResult> StageOf(std::string_view bytes);
std::optional<std::vector<Quality>> QualitiesOf(std::string_view bytes);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_STAGE_TEXT_H_
