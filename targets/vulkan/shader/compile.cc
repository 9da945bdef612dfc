#include "targets/vulkan/shader/compile.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/shader/matrix_types.h"

namespace tessera::vulkan {
namespace {

constexpr spv_target_env kEnvironment = SPV_ENV_VULKAN_1_2;

// Collects what SPIRV-Tools says.
auto Into(std::string& messages) {
  return [&messages](spv_message_level_t, const char*, const spv_position_t& position,
                     const char* message) {
    absl::StrAppend(&messages, "\n  at word ", position.index, ": ", message);
  };
}

absl::Status Failed(const std::string& what, const std::string& glsl) {
  return absl::InternalError(absl::StrCat("a kernel of ours ", what, "\n", glsl));
}

// Once per process, for as long as it runs.
void StartGlslang() {
  static const bool started = glslang::InitializeProcess();
  (void)started;
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> CompileShader(const std::string& glsl) {
  StartGlslang();
  glslang::TShader shader(EShLangCompute);
  const char* text = glsl.c_str();
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 450);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  const auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  if (!shader.parse(GetDefaultResources(), 450, false, rules))
    return Failed(absl::StrCat("does not compile: ", shader.getInfoLog()), glsl);
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(rules))
    return Failed(absl::StrCat("does not link: ", program.getInfoLog()), glsl);
  std::vector<uint32_t> code;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), code);
  // The optimizer and the validator that are built in are older than these, and read none of it;
  // the loader's own reading (targets/vulkan/runtime/code.h) does.
  if (HasMatrices(code)) {
    absl::StatusOr<std::vector<uint32_t>> typed = WithMatrixTypes(code);
    if (!typed.ok()) return Failed(std::string(typed.status().message()), glsl);
    return typed;
  }

  std::string messages;
  spvtools::Optimizer optimizer(kEnvironment);
  optimizer.SetMessageConsumer(Into(messages));
  optimizer.RegisterPerformancePasses();
  std::vector<uint32_t> optimized;
  if (!optimizer.Run(code.data(), code.size(), &optimized))
    return Failed(absl::StrCat("cannot be optimized:", messages), glsl);
  if (absl::Status status = ValidateSpirv(optimized); !status.ok())
    return Failed(std::string(status.message()), glsl);
  return optimized;
}

absl::Status ValidateSpirv(absl::Span<const uint32_t> code) {
  std::string messages;
  spvtools::SpirvTools tools(kEnvironment);
  tools.SetMessageConsumer(Into(messages));
  if (tools.Validate(code.data(), code.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("is no valid SPIR-V:", messages));
}

}  // namespace tessera::vulkan
