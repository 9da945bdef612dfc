#include "targets/vulkan/kernels/frame.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/functions.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/runtime/artifact.h"

namespace tessera::vulkan {
namespace {

// A load as the device does it best; which way is a constant of the pipeline.
std::string TexelFunction(size_t number, bool by_four) {
  const std::string name = absl::StrCat(by_four ? "quads" : "texels", number);
  const uint32_t binding = static_cast<uint32_t>(number) + (by_four ? kQuadBinding : kTexelBinding);
  return absl::StrCat("layout(binding = ", binding, ") uniform textureBuffer ", name, ";\n",
                      by_four ? "vec4 Quad" : "float Texel", number,
                      "(int i) {\n  return by_texels ? texelFetch(", name, ", i)",
                      by_four ? "" : ".x", " : ", by_four ? "vec4" : "float", "(b", number,
                      by_four ? "v" : "", "[i]);\n}\n");
}

}  // namespace

std::string Frame::Buffer(int tensor, bool written, bool by_four) {
  auto found = std::find_if(kernel_.bindings.begin(), kernel_.bindings.end(),
                            [&](const Bound& bound) { return bound.tensor == tensor; });
  if (found == kernel_.bindings.end()) {
    kernel_.bindings.push_back({tensor, false});
    found = kernel_.bindings.end() - 1;
  }
  found->written |= written;
  const ir::DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
  const bool apart = written && WrittenStorageOf(dtype) != StorageOf(dtype);
  if (apart) written_.insert(tensor);
  if (by_four) (apart ? written_by_four_ : by_four_).insert(tensor);
  return absl::StrCat("b", found - kernel_.bindings.begin() + 1, by_four ? "v" : "",
                      apart ? "w" : "");
}

// What is only read, and of a type that texels have.
bool Frame::HasTexels(int tensor) const {
  const ir::DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
  return (dtype == ir::DType::kF32 || dtype == ir::DType::kF16) &&
         std::none_of(stage_.nests.begin(), stage_.nests.end(), [&](const nests::Nest& nest) {
           return program_.StorageOf(nest.target.index) == program_.StorageOf(tensor);
         });
}

std::string Frame::Load(int tensor, const std::string& index, bool by_four) {
  const std::string buffer = Buffer(tensor, false, by_four);
  if (!HasTexels(tensor)) {
    const std::string element = absl::StrCat(buffer, "[", index, "]");
    return by_four ? absl::StrCat("vec4(", element, ")") : element;
  }
  const size_t number = NumberOf(tensor);
  (by_four ? quads_ : texels_).insert(number);
  return absl::StrCat(by_four ? "Quad" : "Texel", number, "(", index, ")");
}

size_t Frame::NumberOf(int tensor) const {
  const auto found = std::find_if(kernel_.bindings.begin(), kernel_.bindings.end(),
                                  [&](const Bound& bound) { return bound.tensor == tensor; });
  return static_cast<size_t>(found - kernel_.bindings.begin()) + 1;
}

std::string Frame::Reports(const std::string& text) {
  std::string reports;
  for (nests::Number number : {nests::Number::kF32, nests::Number::kF64, nests::Number::kI64,
                               nests::Number::kU64, nests::Number::kBool}) {
    const std::string type(TypeOf(number));
    if (!absl::StrContains(text, absl::StrCat("Outside_", type, "()"))) continue;
    if (kernel_.number_parameter < 0) {
      kernel_.number_parameter = static_cast<int>(kernel_.parameters.size());
      kernel_.parameters.emplace_back(0);
    }
    absl::StrAppend(&reports, type, " Outside_", type, "() {\n  status = uint(p.p",
                    kernel_.number_parameter, ");\n  return ",
                    LiteralOf(nests::IdentityOf(nests::Reduction::kSum, number)), ";\n}\n");
  }
  return reports;
}

std::string Frame::Parameters() const {
  std::string text;
  if (kernel_.parameters.empty()) return text;
  absl::StrAppend(&text, "layout(binding = 0, std140) uniform Parameters {\n");
  for (size_t i = 0; i < kernel_.parameters.size(); ++i)
    absl::StrAppend(&text, "  int p", i, ";\n");
  absl::StrAppend(&text, "} p;\nlayout(constant_id = ", kSizedConstant,
                  ") const bool sized = false;\n");
  for (size_t i = 0; i < kernel_.parameters.size(); ++i)
    absl::StrAppend(&text, "layout(constant_id = ", kParameterConstant + i, ") const int s", i,
                    " = 0;\n");
  return text;
}

std::string Frame::Buffers() {
  std::string text;
  for (size_t i = 0; i < kernel_.bindings.size(); ++i) {
    const Bound& bound = kernel_.bindings[i];
    const ir::DType dtype = program_.tensors[static_cast<size_t>(bound.tensor)].dtype;
    const auto declare = [&](std::string_view type, std::string_view suffix) {
      absl::StrAppend(&text, "layout(binding = ", i + 1, ", std430) ",
                      !bound.written          ? "readonly "
                      : stage_.IsRecurrence() ? "coherent "
                                              : "",
                      "buffer B", i + 1, std::string(suffix), " { ", std::string(type), " b", i + 1,
                      std::string(suffix), "[]; };\n");
    };
    declare(StorageOf(dtype), "");
    if (by_four_.count(bound.tensor) != 0)
      declare(dtype == ir::DType::kF16 ? "f16vec4" : "vec4", "v");
    if (written_.count(bound.tensor) != 0) declare(WrittenStorageOf(dtype), "w");
    if (written_by_four_.count(bound.tensor) != 0) declare("u16vec4", "vw");
  }
  if (!texels_.empty() || !quads_.empty())
    absl::StrAppend(&text, "layout(constant_id = ", kTexelConstant,
                    ") const bool by_texels = false;\n");
  for (const bool by_four : {false, true}) {
    for (const size_t number : by_four ? quads_ : texels_) {
      (by_four ? kernel_.quads : kernel_.texels).push_back(static_cast<uint32_t>(number));
      absl::StrAppend(&text, TexelFunction(number, by_four));
    }
  }
  if (kernel_.checks)
    absl::StrAppend(&text, "layout(binding = ", kernel_.bindings.size() + 1,
                    ", std430) buffer Status { uint status; };\n");
  return text;
}

KernelText Frame::Finish(const IndexText& index, const std::string& text) {
  kernel_.parameters = index.parameters();
  kernel_.limits = index.limits();
  const std::string reports = Reports(text), blocks = absl::StrCat(Parameters(), Buffers());
  const std::string all = absl::StrCat(blocks, FunctionsFor(text), reports, text);
  const Needs needs = NeedsOf(all);
  kernel_.features = needs.features;
  kernel_.glsl = absl::StrCat("#version 450\n", needs.extensions,
                              "layout(local_size_x = ", kernel_.workgroup, ") in;\n", all);
  return std::move(kernel_);
}

}  // namespace tessera::vulkan
