#include "testing/networks/networks.h"

#include "testing/networks/network_builder.h"

namespace tessera::testing {
namespace {

constexpr int64_t kClasses = 1000;

}  // namespace

std::string SqueezeNet(int64_t size, uint32_t seed) {
  NetworkBuilder net("squeezenet1_1", size, seed);
  const auto conv = [&](const Activation& x, const ConvLayer& layer) {
    return net.Relu(net.Conv(x, layer));
  };
  const auto fire = [&](const Activation& x, int64_t squeeze, int64_t expand) {
    const Activation squeezed = conv(x, {.channels = squeeze});
    return net.Concat(conv(squeezed, {.channels = expand}),
                      conv(squeezed, {.channels = expand, .kernel = 3, .padding = 1}));
  };
  Activation x = conv(net.input(), {.channels = 64, .kernel = 3, .stride = 2});
  x = net.MaxPool(x, 3, 2, 0, /*ceil=*/true);
  x = fire(fire(x, 16, 64), 16, 64);
  x = net.MaxPool(x, 3, 2, 0, /*ceil=*/true);
  x = fire(fire(x, 32, 128), 32, 128);
  x = net.MaxPool(x, 3, 2, 0, /*ceil=*/true);
  x = fire(fire(fire(fire(x, 48, 192), 48, 192), 64, 256), 64, 256);
  return net.Finish(net.Flatten(net.GlobalMean(conv(x, {.channels = kClasses}))));
}

std::string MobileNetV2(int64_t size, uint32_t seed) {
  NetworkBuilder net("mobilenet_v2", size, seed);
  const auto relu6 = [&](const Activation& x) { return net.Clip(x, 0, 6); };
  const auto bottleneck = [&](const Activation& x, int64_t expansion, int64_t channels,
                              int64_t stride) {
    const int64_t wide = x.channels * expansion;
    Activation y = x;
    if (expansion != 1) y = relu6(net.Conv(y, {.channels = wide}));
    y = relu6(net.Conv(
        y, {.channels = wide, .kernel = 3, .stride = stride, .padding = 1, .groups = wide}));
    // Without an activation behind it there is nothing to make up for.
    y = net.Conv(y, {.channels = channels}, 1.0);
    return stride == 1 && channels == x.channels ? net.Add(x, y) : y;
  };
  struct Stage {
    int64_t expansion, channels, repeats, stride;
  };
  Activation x =
      relu6(net.Conv(net.input(), {.channels = 32, .kernel = 3, .stride = 2, .padding = 1}));
  for (const Stage& stage :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
        Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    for (int64_t i = 0; i < stage.repeats; ++i) {
      x = bottleneck(x, stage.expansion, stage.channels, i == 0 ? stage.stride : 1);
    }
  }
  x = relu6(net.Conv(x, {.channels = 1280}));
  return net.Finish(net.Dense(net.Flatten(net.GlobalMean(x)), kClasses));
}

std::string ResNet18(int64_t size, uint32_t seed) {
  NetworkBuilder net("resnet18", size, seed);
  const auto block = [&](const Activation& x, int64_t channels, int64_t stride) {
    Activation y =
        net.Relu(net.Conv(x, {.channels = channels, .kernel = 3, .stride = stride, .padding = 1}));
    y = net.Conv(y, {.channels = channels, .kernel = 3, .padding = 1}, 0.7);
    const Activation shortcut = stride == 1 && channels == x.channels
                                    ? x
                                    : net.Conv(x, {.channels = channels, .stride = stride}, 1.0);
    return net.Relu(net.Add(y, shortcut));
  };
  Activation x =
      net.Relu(net.Conv(net.input(), {.channels = 64, .kernel = 7, .stride = 2, .padding = 3}));
  x = net.MaxPool(x, 3, 2, 1, /*ceil=*/false);
  for (const int64_t channels : {64, 128, 256, 512}) {
    x = block(block(x, channels, channels == 64 ? 1 : 2), channels, 1);
  }
  return net.Finish(net.Dense(net.Flatten(net.GlobalMean(x)), kClasses));
}

}  // namespace tessera::testing
