#include "targets/vulkan/selection/device_profile.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::vulkan {
namespace {

constexpr char kOne[] =
    "device a // the first\nshared_bytes 100\ninvocations 64\nlanes 8\nload 1.5\nmultiply "
    "1\nexchange 2\n";

TEST(DeviceProfileTest, HasWhatAnotherHasButForItsOwn) {
  const auto profiles = ParseProfiles(std::string(kOne) + "device b like a\n\nload 3\n");
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_EQ(profiles->size(), 2U);
  EXPECT_EQ((*profiles)[0].load, 1.5);
  EXPECT_EQ((*profiles)[1].name, "b");
  EXPECT_EQ((*profiles)[1].load, 3);
  EXPECT_EQ((*profiles)[1].shared_bytes, 100);
  const auto mine = ParseProfiles("device mine like portable\nload 3\n", KnownProfiles());
  ASSERT_TRUE(mine.ok()) << mine.status();
  EXPECT_EQ(mine->back().shared_bytes, 16384);
}

TEST(DeviceProfileTest, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    return std::string(ParseProfiles(text).status().message());
  };
  EXPECT_EQ(message(""), "it names no device");
  EXPECT_EQ(message("device a\nload 1"), "device `a` does not have all numbers");
  EXPECT_EQ(ParseProfiles("// none\n", KnownProfiles()).status().message(), "it names no device");
  EXPECT_EQ(message("load 1"), "line 1: a number before the first `device`");
  EXPECT_EQ(message("device a b"), "line 1: expected `device NAME` or `device NAME like OTHER`");
  EXPECT_EQ(message("device a\ndevice a"), "line 2: a second device `a`");
  EXPECT_EQ(message("device a like b"), "line 1: there is no device `b` before it");
  EXPECT_EQ(message("device a\nload nan"), "line 2: `load` is a number above 0");
  EXPECT_EQ(message("device a\nload 1 2"), "line 2: `load` is a number above 0");
  EXPECT_EQ(message("device a\ninvocations 0"),
            "line 2: `invocations` is an integer between 1 and 2147483647");
  EXPECT_EQ(message("device a\nlanes 4294967295"),
            "line 2: `lanes` is an integer between 1 and 2147483647");
  EXPECT_EQ(message("device a\nbinding_bytes 4294967296"),
            "line 2: `binding_bytes` is an integer between 1 and 4294967295");
  EXPECT_EQ(message("device a\nspeed 1"),
            "line 2: `speed` is none of device, shared_bytes, invocations, lanes, load, multiply, "
            "exchange, matrix, busy_workgroup, binding_bytes, steps");
}

// What a file asks for unless it is told of a device, every device has.
TEST(DeviceProfileTest, ThePortableOneHasWhatVulkanRequires) {
  const DeviceProfile& portable = KnownProfiles().back();
  EXPECT_EQ(portable.name, "portable");
  EXPECT_EQ(portable.shared_bytes, 16384);
  EXPECT_EQ(portable.invocations, 128);
  EXPECT_EQ(portable.binding_bytes, 134217728);
}

}  // namespace
}  // namespace tessera::vulkan
