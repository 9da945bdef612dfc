#include "passes/reproducer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/absl_view.h"
#include "ir/text.h"

namespace tessera::passes {
namespace {

constexpr char kMagic[] = "tessera reproducer 1";
constexpr int64_t kSmallElements = 4096;

std::string QuotedText(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text), "\"");
}

absl::Status WrongLine(int number, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", what));
}

std::optional<std::string> Unquoted(absl::string_view text) {
  std::string plain;
  if (text.size() < 2 || text.front() != '"' || text.back() != '"' ||
      !absl::CUnescape(text.substr(1, text.size() - 2), &plain)) {
    return std::nullopt;
  }
  return plain;
}

std::optional<absl::StatusCode> CodeFrom(absl::string_view name) {
  for (int code = 1; code <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++code) {
    if (absl::StatusCodeToString(static_cast<absl::StatusCode>(code)) == name)
      return static_cast<absl::StatusCode>(code);
  }
  return std::nullopt;
}

// `8f...e1 : f32[16,3]`.
std::optional<AbsentConstant> AbsentFrom(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, " : ");
  if (parts.size() != 2) return std::nullopt;
  const std::optional<ir::Digest> digest = ir::Digest::FromString(parts[0]);
  const size_t bracket = parts[1].find('[');
  if (!digest || bracket == std::string::npos || parts[1].back() != ']') return std::nullopt;
  const std::optional<ir::DType> dtype = ir::DTypeFromName(parts[1].substr(0, bracket));
  if (!dtype) return std::nullopt;
  AbsentConstant absent{*digest, *dtype, {}};
  const std::string dims = parts[1].substr(bracket + 1, parts[1].size() - bracket - 2);
  if (dims.empty()) return absent;
  for (absl::string_view dim : absl::StrSplit(dims, ',')) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(dim, &value) || value < 0) return std::nullopt;
    absent.shape.push_back(value);
  }
  return absent;
}

// One line of the head; false: nothing that a head has.
bool TakeLine(absl::string_view key, absl::string_view rest, Reproducer& reproducer) {
  if (key == "target") {
    reproducer.target = std::string(rest);
    return !rest.empty();
  }
  if (key == "passes") {
    reproducer.passes = absl::StrSplit(rest, ' ', absl::SkipEmpty());
    return !reproducer.passes.empty();
  }
  if (key == "rewrites-left")
    return absl::SimpleAtoi(rest, &reproducer.rewrites_left) && reproducer.rewrites_left >= 0;
  if (key == "shuffle-seed") return absl::SimpleAtoi(rest, &reproducer.shuffle_seed);
  if (key == "strict-floats") {
    reproducer.strict_floats = rest == "yes";
    return reproducer.strict_floats;
  }
  if (key == "requested") return reproducer.requested.insert(std::string(rest)).second;
  if (key == "without") return reproducer.without.insert(std::string(rest)).second;
  if (key == "constants") {
    const std::optional<std::string> name = Unquoted(rest);
    reproducer.constants_file = name.value_or("");
    // The file lies beside this one and nowhere else.
    return name && !name->empty() && name->find('/') == std::string::npos;
  }
  if (key == "failure") {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(rest, absl::MaxSplits(' ', 1));
    const std::optional<absl::StatusCode> code = CodeFrom(parts.first);
    const std::optional<std::string> message = Unquoted(parts.second);
    if (code && message) reproducer.failure = absl::Status(*code, *message);
    return code && message;
  }
  if (key == "absent") {
    std::optional<AbsentConstant> absent = AbsentFrom(rest);
    if (absent) reproducer.absent.push_back(*std::move(absent));
    return absent.has_value();
  }
  return false;
}

}  // namespace

bool IsSmallConstant(const ir::Tensor& tensor) {
  const ir::DType dtype = tensor.dtype();
  return tensor.size() <= kSmallElements &&
         (dtype == ir::DType::kI64 || dtype == ir::DType::kI32 || dtype == ir::DType::kBool);
}

std::string ToText(const Reproducer& reproducer) {
  std::string text = absl::StrCat(kMagic, "\n");
  if (!reproducer.failure.ok()) {
    // As a comment to be read, below to be compared.
    absl::StrAppend(&text, "// ",
                    absl::StrJoin(absl::StrSplit(reproducer.failure.message(), '\n'), "\n// "),
                    "\n");
  }
  absl::StrAppend(&text, "target ", reproducer.target, "\npasses ",
                  absl::StrJoin(reproducer.passes, " "), "\n");
  if (reproducer.rewrites_left >= 0)
    absl::StrAppend(&text, "rewrites-left ", reproducer.rewrites_left, "\n");
  if (reproducer.shuffle_seed != 0)
    absl::StrAppend(&text, "shuffle-seed ", reproducer.shuffle_seed, "\n");
  if (reproducer.strict_floats) absl::StrAppend(&text, "strict-floats yes\n");
  for (const std::string& rewrite : reproducer.requested)
    absl::StrAppend(&text, "requested ", rewrite, "\n");
  for (const std::string& rewrite : reproducer.without)
    absl::StrAppend(&text, "without ", rewrite, "\n");
  if (!reproducer.failure.ok()) {
    absl::StrAppend(&text, "failure ", absl::StatusCodeToString(reproducer.failure.code()), " ",
                    QuotedText(reproducer.failure.message()), "\n");
  }
  if (!reproducer.constants_file.empty())
    absl::StrAppend(&text, "constants ", QuotedText(reproducer.constants_file), "\n");
  for (const AbsentConstant& absent : reproducer.absent) {
    absl::StrAppend(&text, "absent ", absent.digest.ToString(), " : ",
                    ir::AbslView(ir::NameOf(absent.dtype)), "[", absl::StrJoin(absent.shape, ","),
                    "]\n");
  }
  if (reproducer.ir != nullptr) text += *reproducer.ir;
  return text;
}

absl::StatusOr<Reproducer> ParseReproducer(std::string_view text) {
  Reproducer reproducer;
  int number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const absl::string_view line = ir::AbslView(text.substr(begin, end - begin));
    if (number == 0) {
      if (line != kMagic) return WrongLine(1, absl::StrCat("`", kMagic, "` is expected"));
    } else if (line == "ir" || absl::StartsWith(line, "ir ")) {
      reproducer.ir = std::make_shared<const std::string>(text.substr(begin));
      break;
    } else if (!line.empty() && !absl::StartsWith(line, "//")) {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      if (!TakeLine(parts.first, parts.second, reproducer))
        return WrongLine(number + 1, absl::StrCat("`", line, "` is no line of a reproducer"));
    }
    begin = end + 1;
  }
  if (number == 0) return WrongLine(1, absl::StrCat("`", kMagic, "` is expected"));
  if (reproducer.passes.empty()) return WrongLine(number, "no `passes`");
  if (reproducer.ir == nullptr) return WrongLine(number, "no `ir`");
  return reproducer;
}

absl::Status ReproducerRecorder::Before(size_t index, const ir::Graph& graph,
                                        const PassContext& context, bool changed) {
  if (!options_.write && !options_.prepare) return absl::OkStatus();
  current_.position = index;
  current_.about = pipeline_[index].name;
  const bool asked = options_.write && (options_.before.count("*") != 0 ||
                                        options_.before.count(current_.about) != 0);
  const bool none = current_.ir == nullptr;
  earlier_ |= changed;
  if (earlier_ && !asked && !none && current_.ir->size() > options_.longest_text) {
    if (options_.prepare) options_.prepare(&current_);
    return absl::OkStatus();
  }
  current_.target = options_.target;
  current_.passes.clear();
  for (size_t i = index; i < pipeline_.size(); ++i) {
    if (disabled_.count(pipeline_[i].name) == 0) current_.passes.push_back(pipeline_[i].name);
  }
  // Without a limit it is counted down from the largest number.
  const bool limited = context.rewrites_left < std::numeric_limits<int64_t>::max() / 2;
  current_.rewrites_left = limited ? context.rewrites_left : -1;
  current_.shuffle_seed = context.shuffle_seed;
  current_.strict_floats = context.strict_floats;
  current_.requested = context.requested;
  current_.without = context.without;
  if (std::exchange(earlier_, false) || none) {
    ir::PrintOptions print;
    // Of what is left out nobody goes through the bytes: those of one place have one name.
    std::map<const void*, ir::Digest> places;
    print.digest_of = [&](const ir::Operation& op) {
      const ir::Tensor& tensor = *op.payload();
      if (options_.weights || IsSmallConstant(tensor) || !ir::IsLarge(tensor))
        return op.payload_digest();
      return places.try_emplace(tensor.place(), op.payload_place()).first->second;
    };
    current_.ir = std::make_shared<const std::string>(ir::Print(graph, print));
    current_.constants.clear();
    std::map<ir::Digest, AbsentConstant> absent;
    for (const ir::Operation* op : graph.TopologicalOrder()) {
      const ir::Tensor* const tensor = op->payload();
      if (tensor == nullptr || tensor->size() <= print.inline_elements) continue;
      const ir::Digest digest = print.digest_of(*op);
      if (options_.weights || IsSmallConstant(*tensor)) {
        current_.constants.emplace(digest, *tensor);
      } else {
        absent.emplace(digest, AbsentConstant{digest, tensor->dtype(), tensor->shape()});
      }
    }
    current_.absent.clear();
    for (auto& [digest, constant] : absent) current_.absent.push_back(std::move(constant));
  }
  if (options_.prepare) options_.prepare(&current_);
  return asked ? options_.write(current_).status() : absl::OkStatus();
}

absl::Status ReproducerRecorder::Failed(const absl::Status& failure) {
  if (!options_.write || (!options_.refusals && !absl::IsInternal(failure))) return failure;
  current_.failure = failure;
  const absl::StatusOr<std::string> path = options_.write(current_);
  return absl::Status(
      failure.code(),
      path.ok() ? absl::StrCat(failure.message(), "\nwritten to see it again: `", *path, "`")
                : absl::StrCat(failure.message(),
                               "\nno reproducer could be written: ", path.status().message()));
}

}  // namespace tessera::passes
