// A model file as a graph whose operations have addresses, and the file itself, to be changed.
#ifndef TESSERA_TOOLS_COMPRESSION_ADDRESSED_H_
#define TESSERA_TOOLS_COMPRESSION_ADDRESSED_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "frontends/onnx/edit/model_editor.h"
#include "frontends/onnx/import.h"
#include "passes/compression/scopes/address.h"
#include "passes/compression/scopes/source.h"

namespace tessera::tools {

struct Addressed {
  // `graph` is that of the import.
  Addressed(onnx_import::ImportResult imported, const ir::Graph& graph, compression::Source nodes,
            onnx_import::ModelEditor file)
      : import(std::move(imported)),
        source(std::move(nodes)),
        editor(std::move(file)),
        addresses(graph, source) {}
  Addressed(const Addressed&) = delete;
  Addressed& operator=(const Addressed&) = delete;

  onnx_import::ImportResult import;
  compression::Source source;
  onnx_import::ModelEditor editor;
  compression::Addresses addresses;  // refers to the graph and to `source`
};

// Of the bytes of a file that has all in itself; `name` is for diagnostics. Errors of the importer.
absl::StatusOr<std::unique_ptr<Addressed>> ImportAddressed(
    const std::string& bytes, const std::string& name, const onnx_import::ImportOptions& options);

absl::StatusOr<onnx_import::ImportResult> ImportText(const std::string& bytes,
                                                     const std::string& name,
                                                     const onnx_import::ImportOptions& options);

// With what stands in files beside it.
absl::StatusOr<std::string> ReadWholeModel(const std::string& path);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_ADDRESSED_H_
