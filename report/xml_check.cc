#include "report/xml_check.h"

#include <set>
#include <vector>

namespace tessera::report {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::string Run() {
    if (text_.starts_with("<!DOCTYPE html>")) at_ = 15;
    while (at_ < text_.size() && problem_.empty()) {
      if (text_[at_] == '<') {
        Tag();
      } else {
        Character();
      }
    }
    if (problem_.empty() && !open_.empty()) Problem("`" + open_.back() + "` is not closed");
    return problem_;
  }

 private:
  void Problem(const std::string& what) {
    if (!problem_.empty()) return;
    const size_t from = at_ < 40 ? 0 : at_ - 40;
    problem_ = what + " in `" + std::string(text_.substr(from, 80)) + "`";
  }
  bool Accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void Character() {
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 && c != '\n' && c != '\t') Problem("a control character");
    if (c == '&' && !Accept("&amp;") && !Accept("&lt;") && !Accept("&gt;") && !Accept("&quot;")) {
      Problem("a bare `&`");
    } else if (c != '&') {
      ++at_;
    }
  }

  std::string Name() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) {
      ++at_;
    }
    if (begin == at_) Problem("no name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void Tag() {
    ++at_;
    if (Accept("/")) {
      const std::string name = Name();
      if (open_.empty() || open_.back() != name) return Problem("`" + name + "` was not open");
      open_.pop_back();
      if (!Accept(">")) Problem("no `>`");
      return;
    }
    const std::string name = Name();
    std::set<std::string> attributes;
    while (problem_.empty() && (Accept(" ") || Accept("\n"))) {
      const std::string attribute = Name();
      if (!attributes.insert(attribute).second) Problem("`" + attribute + "` twice");
      if (Accept("=\"")) {
        while (problem_.empty() && at_ < text_.size() && text_[at_] != '"') {
          if (text_[at_] == '<') return Problem("`<` in an attribute");
          Character();
        }
        if (!Accept("\"")) return Problem("no closing quote");
      } else if (attribute != "open") {  // of `details`, as HTML has it
        return Problem("`" + attribute + "` without a value in quotes");
      }
    }
    if (!problem_.empty() || Accept("/>")) return;
    if (!Accept(">")) return Problem("no `>`");
    open_.push_back(name);
    if (name != "script" && name != "style") return;
    at_ = text_.find("</" + name, at_);
    if (at_ == text_.npos) at_ = text_.size();
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace

std::string XmlProblem(std::string_view text) { return Checker(text).Run(); }

}  // namespace tessera::report
