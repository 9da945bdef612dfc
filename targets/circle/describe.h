// What a Circle file holds, for people and as JSON.
#ifndef TESSERA_TARGETS_CIRCLE_DESCRIBE_H_
#define TESSERA_TARGETS_CIRCLE_DESCRIBE_H_

#include <string>
#include <vector>

#include "targets/circle/file/model.h"
#include "targets/target.h"

namespace tessera::circle {

// Inputs and outputs, operators by kind, and in detail what runs in each graph.
std::vector<targets::Part> Describe(const FileModel& model, const targets::Detail& detail);

// Everything but the constants' values. Ends without a newline.
std::string JsonText(const FileModel& model);

// Rows of operators by kind, without a header.
targets::Rows CountOperators(const FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_DESCRIBE_H_
