// Tests that are registered when a program starts, one for each of what it was given: examples,
// cases, mutants. gtest's macros make one for each place in the source.
#ifndef TESSERA_TESTING_BODY_TESTS_H_
#define TESSERA_TESTING_BODY_TESTS_H_

#include <functional>
#include <map>
#include <string>

namespace tessera::testing {

class BodyTests {
 public:
  // Registers `suite`.`name`, which runs `body`; the second of one name is called NAME_2. `file`
  // and `line` are where what is tested is defined.
  void Add(const std::string& suite, const std::string& name, const std::string& file, int line,
           std::function<void()> body);

 private:
  std::map<std::string, int> named_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_BODY_TESTS_H_
