// What importer clauses ask with `reading(NAME)`: where an operator's text can be read in two ways,
// or others compute something else than it says, which of both is meant.
#ifndef TESSERA_FRONTENDS_ONNX_READINGS_H_
#define TESSERA_FRONTENDS_ONNX_READINGS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::onnx_import {

struct Reading {
  absl::string_view name;
  absl::string_view means;  // a clause, for a flag's help
};

absl::Span<const Reading> Readings();

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_READINGS_H_
