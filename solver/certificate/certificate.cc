#include "solver/certificate/certificate.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/byte_run.h"
#include "support/json_string.h"
#include "support/sha256.h"

namespace tessera::certificate {
namespace {

constexpr char kFormat[] = "tessera certificate";
constexpr int kVersion = 4;

// JSON, indented by two blanks. Certificates are large, and a tree of all their values is not
// needed to write them.
class Writer {
 public:
  explicit Writer(int depth) : depth_(depth) {}

  void Begin(char bracket) {
    text_ += bracket;
    ++depth_;
    empty_ = true;
  }
  void End(char bracket) {
    --depth_;
    if (!empty_) Break();
    text_ += bracket;
    empty_ = false;
  }
  // What follows is the next entry of an array.
  void Next() {
    if (text_.size() >= kPiece) {
      pieces_.push_back(std::move(text_));
      text_.clear();
      text_.reserve(kPiece + kPiece / 8);
    }
    if (!empty_) text_ += ',';
    Break();
    empty_ = false;
  }
  void Key(std::string_view key) {
    Next();
    String(key);
    text_ += ": ";
  }
  void Put(std::string_view key, std::string_view value) {
    Key(key);
    String(value);
  }
  void Put(std::string_view key, int64_t value) {
    Key(key);
    absl::StrAppend(&text_, value);
  }
  void Put(std::string_view key, const std::vector<std::string>& list) {
    PutEach(key, list, [&](const std::string& value) { String(value); });
  }
  template <class T, class F>
  void PutEach(std::string_view key, const std::vector<T>& list, F write) {
    Key(key);
    Begin('[');
    for (const T& entry : list) {
      Next();
      write(entry);
    }
    End(']');
  }
  void Integer(int64_t value) { absl::StrAppend(&text_, value); }
  void String(std::string_view value) { support::AppendJsonString(value, text_); }

  // What was written since the last of these.
  std::vector<std::string> TakePieces() {
    pieces_.push_back(std::move(text_));
    text_.clear();
    return std::exchange(pieces_, {});
  }
  std::string Take() { return absl::StrJoin(TakePieces(), ""); }

 private:
  static constexpr size_t kPiece = 1 << 20;

  void Break() {
    text_ += '\n';
    text_.append(static_cast<size_t>(2 * depth_), ' ');
  }

  std::vector<std::string> pieces_;
  std::string text_;  // the last piece
  int depth_ = 0;
  bool empty_ = true;
};

void Write(const FileDigest& digest, Writer& writer) {
  writer.Begin('{');
  writer.Put("file", digest.file);
  writer.Put("bytes", digest.bytes);
  writer.Put("sha256", digest.sha256);
  writer.End('}');
}

void Write(const DeclaredSymbol& symbol, Writer& writer) {
  writer.Begin('{');
  writer.Put("name", symbol.name);
  writer.Put("origin", symbol.origin);
  if (symbol.lo) writer.Put("lo", *symbol.lo);
  if (symbol.hi) writer.Put("hi", *symbol.hi);
  writer.Put("stride", symbol.stride);
  writer.Put("residue", symbol.residue);
  writer.End('}');
}

void Write(const DeclaredFact& fact, Writer& writer) {
  writer.Begin('{');
  writer.Put("statement", fact.statement);
  writer.Put("origin", fact.origin);
  writer.End('}');
}

void Write(const Obligation& obligation, Writer& writer) {
  writer.Begin('{');
  writer.Put("id", obligation.id);
  writer.Put("stage", obligation.stage);
  writer.Put("op", obligation.op);
  writer.Put("node", obligation.node);
  writer.Put("scopes", obligation.scopes);
  writer.Put("message", obligation.message);
  writer.Put("statement", obligation.statement);
  writer.Put("verdict", obligation.verdict == Verdict::kProved ? "proved" : "guarded");
  if (!obligation.smt2.empty()) writer.Put("smt2", obligation.smt2);
  writer.End('}');
}

void Write(const ListedTensor& tensor, Writer& writer) {
  writer.Begin('{');
  writer.Put("name", tensor.name);
  writer.Put("type", tensor.type);
  writer.Put("dims", tensor.dims);
  if (tensor.elements) writer.Put("elements", *tensor.elements);
  writer.End('}');
}

void Write(const ListedOperation& operation, Writer& writer) {
  writer.Begin('{');
  writer.Put("node", operation.node);
  writer.Put("op", operation.op);
  writer.Put("operands", operation.operands);
  writer.PutEach("results", operation.results, [&](const auto& result) { Write(result, writer); });
  writer.PutEach("obligations", operation.obligations, [&](int64_t i) { writer.Integer(i); });
  writer.End('}');
}

template <class T>
void Put(std::string_view key, const std::vector<T>& list, Writer& writer) {
  writer.PutEach(key, list, [&](const T& entry) { Write(entry, writer); });
}

// With the comma behind what is before it.
std::string TextOf(const std::optional<FileDigest>& artifact) {
  if (!artifact) return "";
  Writer writer(1);
  writer.Key("artifact");
  Write(*artifact, writer);
  return absl::StrCat(",", writer.Take());
}

// All but the seal.
std::vector<support::ByteRun> Unsealed(const CertificateText& text, const std::string& artifact) {
  std::vector<support::ByteRun> runs = {text.before, artifact};
  runs.insert(runs.end(), text.after.begin(), text.after.end());
  return runs;
}

}  // namespace

CertificateText TextOf(const Certificate& certificate) {
  Writer writer(0);
  writer.Begin('{');
  writer.Put("format", kFormat);
  writer.Put("version", kVersion);
  writer.Key("model");
  Write(certificate.model, writer);
  if (!certificate.data.empty()) Put("data", certificate.data, writer);
  CertificateText text;
  text.before = writer.Take();
  writer.Put("options", certificate.options);
  Put("symbols", certificate.symbols, writer);
  Put("facts", certificate.facts, writer);
  writer.Key("witness");
  writer.Begin('{');
  for (const auto& [name, value] : certificate.witness) writer.Put(name, value);
  writer.End('}');
  writer.Put("terms", certificate.terms);
  Put("inputs", certificate.inputs, writer);
  writer.Put("outputs", certificate.outputs);
  Put("operations", certificate.operations, writer);
  Put("obligations", certificate.obligations, writer);
  text.after = writer.TakePieces();
  return text;
}

std::string ClaimsDigest(const CertificateText& text) {
  return support::Sha256(Unsealed(text, ""));
}

CertificateFile::CertificateFile(const CertificateText& text,
                                 const std::optional<FileDigest>& artifact)
    : artifact_(TextOf(artifact)), runs_(Unsealed(text, artifact_)) {
  end_ = absl::StrCat(",\n  \"sha256\": \"", support::Sha256(runs_), "\"\n}\n");
  runs_.emplace_back(end_);
}

std::string WriteCertificate(const CertificateText& text,
                             const std::optional<FileDigest>& artifact) {
  return support::Join(CertificateFile(text, artifact).runs());
}

std::string Seal(const Certificate& certificate) {
  return support::Sha256(Unsealed(TextOf(certificate), TextOf(certificate.artifact)));
}

std::string ClaimsDigest(const Certificate& certificate) {
  return ClaimsDigest(TextOf(certificate));
}

std::string WriteCertificate(const Certificate& certificate) {
  return WriteCertificate(TextOf(certificate), certificate.artifact);
}

}  // namespace tessera::certificate
