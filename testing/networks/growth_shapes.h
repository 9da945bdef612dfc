// Networks of one shape and any number of nodes, by which growth is measured.
#ifndef TESSERA_TESTING_NETWORKS_GROWTH_SHAPES_H_
#define TESSERA_TESTING_NETWORKS_GROWTH_SHAPES_H_

#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace tessera::testing {

struct GrowthShape {
  std::string name;
  // A model of about `nodes` nodes, of opset 17; sizes are symbolic where an operator admits it.
  onnx::ModelProto (*model)(int nodes);
};

const std::vector<GrowthShape>& GrowthShapes();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETWORKS_GROWTH_SHAPES_H_
