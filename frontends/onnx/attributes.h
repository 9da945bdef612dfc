// A node's attributes, with references to attributes of an enclosing function resolved.
#ifndef TESSERA_FRONTENDS_ONNX_ATTRIBUTES_H_
#define TESSERA_FRONTENDS_ONNX_ATTRIBUTES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

using AttributeType = onnx::AttributeProto::AttributeType;
// By the name that the node gives them; the AttributeProto may be one of the calling node's, and
// named otherwise.
using Attributes = std::map<std::string, const onnx::AttributeProto*>;

// `outer`: the attributes that the enclosing function was called with, null outside functions. An
// attribute that refers to one that the call lacks is absent. What is wrong (given twice, a
// reference outside a function) goes to `failures`.
Attributes ResolveAttributes(const onnx::NodeProto& node, const Attributes* outer,
                             std::vector<std::string>& failures);

// The declared type, or for files older than that field, the one whose field is set.
AttributeType TypeOf(const onnx::AttributeProto& attribute);
absl::string_view NameOf(AttributeType type);  // "an int", "a list of floats" ...

// FunctionProto.attribute_proto (field 11): attributes that a call may leave out, with their
// values. The libonnx that we build with (1.12) does not know the field yet, so it is parsed from
// the message's unknown fields.
std::vector<std::unique_ptr<onnx::AttributeProto>> DefaultAttributes(
    const onnx::FunctionProto& function);

// FunctionProto.overload (field 13) and NodeProto.overload (field 8) of IR version 10: a call means
// the function of its domain, name and overload. As above, these are unknown fields to libonnx.
std::string OverloadOf(const onnx::FunctionProto& function);
std::string OverloadOf(const onnx::NodeProto& node);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_ATTRIBUTES_H_
