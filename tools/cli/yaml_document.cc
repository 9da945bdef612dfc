#include "tools/cli/yaml_document.h"

#include <optional>
#include <sstream>

#include "yaml-cpp/eventhandler.h"

namespace tessera::cli {
namespace {

// Where a document begins.
class Beginning : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override { mark_.reset(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { See(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { See(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    See(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    See(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    See(mark);
  }
  void OnMapEnd() override {}

  YAML::Mark mark() const { return mark_.value_or(YAML::Mark::null_mark()); }

 private:
  void See(const YAML::Mark& mark) {
    if (!mark_.has_value()) mark_ = mark;
  }

  std::optional<YAML::Mark> mark_;
};

}  // namespace

YAML::Node ReadYamlDocument(const std::string& text) {
  // Not by YAML::LoadAll: what no value begins with (`,`) is a document to yaml-cpp 0.7 again and
  // again, and that function takes all memory.
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Beginning first, second;
  if (parser.HandleNextDocument(first) && parser.HandleNextDocument(second)) {
    const bool goes_on = second.mark().pos > first.mark().pos;
    throw YAML::ParserException(second.mark(),
                                goes_on ? "a second document" : "no value begins like this");
  }
  return YAML::Load(text);
}

}  // namespace tessera::cli
