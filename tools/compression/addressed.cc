#include "tools/compression/addressed.h"

#include <cstdint>
#include <utility>

namespace tessera::tools {

using compression::Addresses;
using compression::Source;
using onnx_import::ImportOptions;
using onnx_import::ImportResult;
using onnx_import::ModelEditor;

absl::StatusOr<ImportResult> ImportText(const std::string& bytes, const std::string& name,
                                        const ImportOptions& options) {
  auto owner = std::make_shared<const std::string>(bytes);
  const auto* data = reinterpret_cast<const uint8_t*>(owner->data());
  return onnx_import::ImportBytes({data, owner->size()}, owner, name, options);
}

absl::StatusOr<std::unique_ptr<Addressed>> ImportAddressed(const std::string& bytes,
                                                           const std::string& name,
                                                           const ImportOptions& options) {
  Source source;
  ImportOptions named = options;
  named.named = [&](const std::string& tensor, const ir::Value& value) {
    source.values[tensor] = value.id();
  };
  absl::StatusOr<ImportResult> import = ImportText(bytes, name, named);
  if (!import.ok()) return import.status();
  absl::StatusOr<ModelEditor> editor = ModelEditor::Parse(bytes, name);
  if (!editor.ok()) return editor.status();
  source.opset = editor->Opset("");
  for (const onnx_import::FileNode& node : editor->nodes())
    source.nodes.push_back(
        {node.name, node.op_type, node.inputs, node.outputs, node.metadata, node.integers});
  const ir::Graph& graph = *import->graph;
  return std::make_unique<Addressed>(*std::move(import), graph, std::move(source),
                                     *std::move(editor));
}

absl::StatusOr<std::string> ReadWholeModel(const std::string& path) {
  const absl::StatusOr<ModelEditor> editor = ModelEditor::Open(path);
  if (!editor.ok()) return editor.status();
  return editor->Serialize();
}

}  // namespace tessera::tools
