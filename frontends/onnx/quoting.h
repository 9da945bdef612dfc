// Names from a model file are untrusted text: quoted in diagnostics they are printable, of one
// line, and of bounded length.
#ifndef TESSERA_FRONTENDS_ONNX_QUOTING_H_
#define TESSERA_FRONTENDS_ONNX_QUOTING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::onnx_import {

// `name` in backticks; bytes that are not printable UTF-8 escaped, all beyond 120 bytes cut.
std::string Quoted(absl::string_view name);

// "`a`, `b`, `c` and 7 more".
std::string QuotedList(absl::Span<const std::string> names, size_t at_most = 8);

// Up to three of `candidates` that a typo may have turned into `name` (edit distance at most a
// third of its length, case aside), nearest first.
std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates);

// "; nearest is `a`", "; nearest are `a`, `b`", or nothing.
std::string NearestClause(absl::string_view name, absl::Span<const std::string> candidates);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_QUOTING_H_
