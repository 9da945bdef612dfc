// What a fuzzer of the importer calls.
#ifndef TESSERA_FRONTENDS_ONNX_IMPORT_FUZZ_H_
#define TESSERA_FRONTENDS_ONNX_IMPORT_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::onnx_import {

// Imports a file of these bytes; what comes of it must be a graph that verifies, or an error of
// which every line names the file and a place. Returns what is wrong with that, or nothing.
std::string FuzzImport(const uint8_t* data, size_t size, bool& imported);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_IMPORT_FUZZ_H_
