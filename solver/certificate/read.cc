// Reads certificates.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "solver/certificate/certificate.h"

namespace tessera::certificate {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = size_t{256} << 20;
constexpr size_t kMaxDepth = 8;

// A JSON value with its place. The first error of all is kept; after it, values are empty.
class Place {
 public:
  Place(const Json& json, std::string path, absl::Status& status)
      : json_(json), path_(std::move(path)), status_(status) {}

  void Fail(const std::string& what) const {
    if (status_.ok())
      status_ =
          absl::InvalidArgumentError(absl::StrCat("`", path_.empty() ? "/" : path_, "` ", what));
  }

  std::string Text() const {
    if (json_.is_string()) return json_.get<std::string>();
    Fail(absl::StrCat("is ", json_.type_name(), ", wanted is a string"));
    return "";
  }

  int64_t Integer(int64_t least = INT64_MIN) const {
    if (!json_.is_number_integer()) {
      Fail(absl::StrCat("is ", json_.type_name(), ", wanted is an integer"));
    } else if (json_.is_number_unsigned() && json_.get<uint64_t>() > INT64_MAX) {
      Fail("does not fit 64 bits");
    } else if (json_.get<int64_t>() < least) {
      Fail(absl::StrCat("is ", json_.get<int64_t>(), ", the least is ", least));
    } else {
      return json_.get<int64_t>();
    }
    return 0;
  }

  // All keys of an object are in `needed` or `optional`, and those of `needed` are there.
  bool IsObject(std::initializer_list<const char*> needed,
                std::initializer_list<const char*> optional = {}) const {
    if (!json_.is_object()) {
      Fail(absl::StrCat("is ", json_.type_name(), ", wanted is an object"));
      return false;
    }
    std::set<std::string> known(needed.begin(), needed.end());
    for (const std::string& key : known) {
      if (!json_.contains(key)) Fail(absl::StrCat("lacks `", key, "`"));
    }
    known.insert(optional.begin(), optional.end());
    for (const auto& [key, value] : json_.items()) {
      if (known.count(key) == 0) Fail(absl::StrCat("has an unknown key `", key, "`"));
    }
    return status_.ok();
  }

  bool Has(const char* key) const { return json_.contains(key); }
  Place operator[](const std::string& key) const {
    return Place(json_.at(key), absl::StrCat(path_, "/", key), status_);
  }

  // `read` of each element of an array.
  template <typename Read>
  auto Each(Read read) const {
    std::vector<decltype(read(*this))> elements;
    if (!json_.is_array()) Fail(absl::StrCat("is ", json_.type_name(), ", wanted is an array"));
    for (size_t i = 0; status_.ok() && i < json_.size(); ++i)
      elements.push_back(read(Place(json_[i], absl::StrCat(path_, "/", i), status_)));
    return elements;
  }

  Assignment Integers() const {
    Assignment values;
    if (!json_.is_object()) Fail(absl::StrCat("is ", json_.type_name(), ", wanted is an object"));
    for (auto it = json_.begin(); status_.ok() && json_.is_object() && it != json_.end(); ++it)
      values[it.key()] = (*this)[it.key()].Integer();
    return values;
  }

 private:
  const Json& json_;
  std::string path_;
  absl::Status& status_;
};

std::string ReadText(const Place& place) { return place.Text(); }

std::string ReadSha256(const Place& place) {
  std::string text = place.Text();
  if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    place.Fail(absl::StrCat("is `", text, "`, wanted are 64 lowercase hexadecimal digits"));
  return text;
}

FileDigest ReadDigest(const Place& place) {
  FileDigest digest;
  if (!place.IsObject({"file", "bytes", "sha256"})) return digest;
  digest.file = place["file"].Text();
  digest.bytes = place["bytes"].Integer(0);
  digest.sha256 = ReadSha256(place["sha256"]);
  return digest;
}

FileDigest ReadFileDigest(const Place& place) {
  FileDigest digest = ReadDigest(place);
  if (place.Has("file") && (digest.file.empty() || digest.file.find('/') != std::string::npos))
    place["file"].Fail(absl::StrCat("is `", digest.file, "`, wanted is a name without folders"));
  return digest;
}

FileDigest ReadDataDigest(const Place& place) {
  FileDigest digest = ReadDigest(place);
  const std::vector<std::string> parts = absl::StrSplit(digest.file, '/');
  if (place.Has("file") && (digest.file.empty() || digest.file[0] == '/' ||
                            std::find(parts.begin(), parts.end(), "..") != parts.end()))
    place["file"].Fail(absl::StrCat("is `", digest.file, "`, wanted is a path below a folder"));
  return digest;
}

DeclaredSymbol ReadSymbol(const Place& place) {
  DeclaredSymbol symbol;
  if (!place.IsObject({"name", "origin", "stride", "residue"}, {"lo", "hi"})) return symbol;
  symbol.name = place["name"].Text();
  if (symbol.name.empty()) place["name"].Fail("is empty");
  symbol.origin = place["origin"].Text();
  if (place.Has("lo")) symbol.lo = place["lo"].Integer();
  if (place.Has("hi")) symbol.hi = place["hi"].Integer();
  symbol.stride = place["stride"].Integer(1);
  symbol.residue = place["residue"].Integer(0);
  if (symbol.residue >= symbol.stride)
    place["residue"].Fail(
        absl::StrCat("is ", symbol.residue, ", wanted is less than the stride ", symbol.stride));
  return symbol;
}

DeclaredFact ReadFact(const Place& place) {
  if (!place.IsObject({"statement", "origin"})) return {};
  return {place["statement"].Text(), place["origin"].Text()};
}

Verdict ReadVerdict(const Place& place) {
  const std::string text = place.Text();
  if (text == "guarded") return Verdict::kGuarded;
  if (text != "proved")
    place.Fail(absl::StrCat("is `", text, "`, wanted is `proved` or `guarded`"));
  return Verdict::kProved;
}

Obligation ReadObligation(const Place& place) {
  Obligation obligation;
  if (!place.IsObject({"id", "stage", "op", "node", "scopes", "message", "statement", "verdict"},
                      {"smt2"}))
    return obligation;
  obligation.id = place["id"].Text();
  obligation.stage = place["stage"].Text();
  obligation.op = place["op"].Text();
  obligation.node = place["node"].Text();
  obligation.scopes = place["scopes"].Each(ReadText);
  obligation.message = place["message"].Text();
  obligation.statement = place["statement"].Text();
  obligation.verdict = ReadVerdict(place["verdict"]);
  if (place.Has("smt2")) obligation.smt2 = place["smt2"].Text();
  return obligation;
}

ListedTensor ReadTensor(const Place& place) {
  ListedTensor tensor;
  if (!place.IsObject({"name", "type", "dims"}, {"elements"})) return tensor;
  tensor.name = place["name"].Text();
  tensor.type = place["type"].Text();
  tensor.dims = place["dims"].Each(ReadText);
  if (place.Has("elements")) tensor.elements = place["elements"].Each(ReadText);
  return tensor;
}

ListedOperation ReadOperation(const Place& place) {
  ListedOperation operation;
  if (!place.IsObject({"node", "op", "operands", "results", "obligations"})) return operation;
  operation.node = place["node"].Text();
  operation.op = place["op"].Text();
  operation.operands = place["operands"].Each(ReadText);
  operation.results = place["results"].Each(ReadTensor);
  operation.obligations =
      place["obligations"].Each([](const Place& index) { return index.Integer(0); });
  return operation;
}

// What RFC 8259 leaves open: a key that is there twice in an object; and how deep it nests.
class Strictness final : public nlohmann::json_sax<Json> {
 public:
  const absl::Status& status() const { return status_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool start_object(size_t) override {
    keys_.emplace_back();
    return Enter();
  }
  bool end_object() override {
    keys_.pop_back();
    return Leave();
  }
  bool key(string_t& key) override {
    return keys_.back().insert(key).second ||
           Fail(absl::StrCat("the key `", key, "` is twice in one object"));
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return Fail("no JSON");
  }

 private:
  bool Fail(const std::string& what) {
    status_ = absl::InvalidArgumentError(what);
    return false;
  }
  bool Enter() { return ++depth_ <= kMaxDepth || Fail("nested too deeply"); }
  bool Leave() {
    --depth_;
    return true;
  }

  std::vector<std::set<std::string>> keys_;  // of the objects around
  size_t depth_ = 0;
  absl::Status status_;
};

// Read twice: a parser that calls back for each value looks at all of an array for each entry.
Json ParseJson(std::string_view text, absl::Status& status) {
  Strictness strictness;
  Json::sax_parse(text, &strictness);
  status = strictness.status();
  return status.ok() ? Json::parse(text, nullptr, false) : Json();
}

}  // namespace

absl::StatusOr<Certificate> ReadCertificate(std::string_view text) {
  if (text.size() > kMaxBytes)
    return absl::InvalidArgumentError(
        absl::StrCat(text.size(), " bytes, a certificate has at most ", kMaxBytes));
  absl::Status status;
  const Json json = ParseJson(text, status);
  if (!status.ok()) return status;
  const Place root(json, "", status);
  Certificate certificate;
  // Another version has other keys: it is looked at before these.
  if (json.is_object() && json.contains("format") && json["format"] != "tessera certificate")
    root["format"].Fail("is not `tessera certificate`");
  if (json.is_object() && json.contains("version") && json["version"] != 4)
    root["version"].Fail(absl::StrCat("is ", json["version"].dump(), ", known is version 4"));
  if (!status.ok() ||
      !root.IsObject({"format", "version", "model", "options", "symbols", "facts", "witness",
                      "terms", "inputs", "outputs", "operations", "obligations", "sha256"},
                     {"artifact", "data"}))
    return status;
  root["version"].Integer();
  certificate.model = ReadFileDigest(root["model"]);
  if (root.Has("data")) {
    certificate.data = root["data"].Each(ReadDataDigest);
    if (certificate.data.empty()) root["data"].Fail("is empty; it is left out where there is none");
  }
  if (root.Has("artifact")) certificate.artifact = ReadFileDigest(root["artifact"]);
  certificate.options = root["options"].Each(ReadText);
  certificate.symbols = root["symbols"].Each(ReadSymbol);
  certificate.facts = root["facts"].Each(ReadFact);
  certificate.witness = root["witness"].Integers();
  certificate.terms = root["terms"].Each(ReadText);
  certificate.inputs = root["inputs"].Each(ReadTensor);
  certificate.outputs = root["outputs"].Each(ReadText);
  certificate.operations = root["operations"].Each(ReadOperation);
  certificate.obligations = root["obligations"].Each(ReadObligation);
  certificate.sha256 = ReadSha256(root["sha256"]);
  if (!status.ok()) return status;
  return certificate;
}

}  // namespace tessera::certificate
