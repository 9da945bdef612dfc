#include "passes/compression/scopes/expression.h"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "absl/strings/str_cat.h"

namespace tessera::compression {
namespace {

// std::regex recurses on its expression and, for each part of it, on its subject: a frame takes
// about 150 bytes, and a stack of its own holds three times what the limits allow.
constexpr size_t kLongestExpression = 1000, kLongestSubject = 2000;
constexpr size_t kMostSteps = 150000;
constexpr size_t kStack = size_t{64} << 20;

void* Call(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
  return nullptr;
}

// Whether the system has given a stack.
bool OnDeepStack(const std::function<void()>& body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread;
  const bool began =
      pthread_attr_setstacksize(&attributes, kStack) == 0 &&
      pthread_create(&thread, &attributes, Call, const_cast<std::function<void()>*>(&body)) == 0;
  pthread_attr_destroy(&attributes);
  return began && pthread_join(thread, nullptr) == 0;
}

}  // namespace

absl::StatusOr<std::vector<bool>> FoundIn(const std::string& expression,
                                          const std::vector<std::string>& subjects) {
  size_t longest = 0;
  for (const std::string& subject : subjects)
    longest = std::max(longest, std::min(subject.size(), kLongestSubject));
  const size_t most =
      std::min(kLongestExpression, longest == 0 ? kLongestExpression : kMostSteps / longest);
  if (expression.size() > most)
    return absl::InvalidArgumentError(
        absl::StrCat("is a regular expression of ", expression.size(), " characters; at most ",
                     most, " are looked for in addresses of up to ", longest));
  std::vector<bool> found;
  absl::Status status;
  const bool done = OnDeepStack([&] {
    try {
      const std::regex wanted(expression, std::regex::ECMAScript);
      for (const std::string& subject : subjects)
        found.push_back(std::regex_search(subject.substr(0, kLongestSubject), wanted));
    } catch (const std::regex_error& error) {
      status = absl::InvalidArgumentError(absl::StrCat("is no regular expression: ", error.what()));
    }
  });
  if (!done)
    return absl::ResourceExhaustedError("is a regular expression: no stack for it is left");
  if (!status.ok()) return status;
  return found;
}

}  // namespace tessera::compression
