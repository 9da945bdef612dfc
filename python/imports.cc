#include "python/imports.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/readings.h"
#include "python/status.h"
#include "python/tensors.h"

namespace tessera::python {

namespace py = pybind11;

namespace {

void AddReading(const std::string& name, Imports& imports) {
  const auto known = onnx_import::Readings();
  if (std::none_of(known.begin(), known.end(),
                   [&](const onnx_import::Reading& reading) { return reading.name == name; })) {
    std::vector<std::string> names;
    for (const onnx_import::Reading& reading : known) names.emplace_back(reading.name);
    Check(absl::InvalidArgumentError(absl::StrCat("readings: `", name, "` is not known, but `",
                                                  absl::StrJoin(names, "`, `"), "`")));
  }
  imports.options.readings.insert(name);
  imports.texts.push_back(absl::StrCat("--reading ", name));
}

}  // namespace

Imports ReadImports(const py::dict& given) {
  Imports imports;
  onnx_import::ImportOptions& options = imports.options;
  const auto flag = [&](const char* name) {
    return given.contains(name) && given[name].cast<bool>();
  };
  const bool strict = flag("strict_dims");
  options.assume = strict ? onnx_import::Assume::kNothing : onnx_import::Assume::kWindows;
  options.strict_opset = flag("strict_opset");
  if (given.contains("dims")) {
    for (const std::string& text : given["dims"].cast<std::vector<std::string>>()) {
      imports.texts.push_back(absl::StrCat("--dim ", text));
      if (text == "auto") {
        if (strict)
          Check(absl::InvalidArgumentError("dims: `auto` assumes what `strict_dims` refuses"));
        options.assume = onnx_import::Assume::kAny;
        continue;
      }
      absl::StatusOr<onnx_import::DimOption> dim = onnx_import::ParseDimOption(text);
      if (!dim.ok())
        Check(absl::Status(dim.status().code(),
                           absl::StrCat("dims: `", text, "`: ", dim.status().message())));
      options.dims.push_back(*std::move(dim));
    }
  }
  if (given.contains("bind")) {
    for (const auto& [name, lent] : given["bind"].cast<py::dict>()) {
      options.bind.emplace(name.cast<std::string>(), FromBuffer(lent.cast<py::tuple>()));
      imports.texts.push_back(absl::StrCat("--bind ", name.cast<std::string>(), "=(an array)"));
    }
  }
  if (given.contains("readings")) {
    for (const std::string& name : given["readings"].cast<std::vector<std::string>>())
      AddReading(name, imports);
  }
  if (given.contains("max_unroll")) {
    options.max_unroll = given["max_unroll"].cast<int64_t>();
    if (options.max_unroll < 0)
      Check(absl::InvalidArgumentError("max_unroll: is a number from 0 on"));
    imports.texts.push_back(absl::StrCat("--max-unroll ", options.max_unroll));
  }
  return imports;
}

}  // namespace tessera::python
