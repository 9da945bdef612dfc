#include "testing/body_tests.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

class BodyTest : public ::testing::Test {
 public:
  explicit BodyTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

void BodyTests::Add(const std::string& suite, const std::string& name, const std::string& file,
                    int line, std::function<void()> body) {
  const int number = ++named_[absl::StrCat(suite, ".", name)];
  const std::string unique = number == 1 ? name : absl::StrCat(name, "_", number);
  ::testing::RegisterTest(
      suite.c_str(), unique.c_str(), nullptr, nullptr, file.c_str(), line,
      [body = std::move(body)]() -> ::testing::Test* { return new BodyTest(body); });
}

}  // namespace tessera::testing
