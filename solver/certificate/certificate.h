// What was proved of a network's shapes, as a file that anyone can check: `ARTIFACT.cert.json`.
//
// The format is version 4 of docs/certificate.schema.json; docs/certificate.md describes it. The
// statements in it are of the language of solver/certificate/statement.h, over mathematical
// integers.
#ifndef TESSERA_SOLVER_CERTIFICATE_CERTIFICATE_H_
#define TESSERA_SOLVER_CERTIFICATE_CERTIFICATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "support/byte_run.h"

namespace tessera::certificate {

struct FileDigest {
  std::string file;  // the name without folders
  int64_t bytes = 0;
  std::string sha256;  // 64 lowercase hexadecimal digits
};

// lo <= name <= hi and name mod stride == residue.
struct DeclaredSymbol {
  std::string name;
  std::string origin;             // e.g. "dim 2 of input `x`"
  std::optional<int64_t> lo, hi;  // absent: unbounded
  int64_t stride = 1;             // >= 1
  int64_t residue = 0;            // 0 <= residue < stride
};

// Assumed of the symbols, e.g. by an option of the command line.
struct DeclaredFact {
  std::string statement;
  std::string origin;
};

enum class Verdict {
  kProved,   // the statement holds for all values that symbols and facts admit
  kGuarded,  // the artifact checks it at run time
};

struct Obligation {
  std::string id;     // of the rule, e.g. "concat.agree"
  std::string stage;  // "import", or the pass or target that incurred it
  std::string op;
  std::string node;
  std::vector<std::string> scopes;  // outermost first
  std::string message;              // of guards, and of limits of devices; else empty
  std::string statement;
  Verdict verdict = Verdict::kProved;
  // SMT-LIB 2, unsatisfiable iff the statement holds; FillSmtLib writes it. Empty where an
  // obligation before this has the same statement.
  std::string smt2;
};

// A tensor of the imported network. Expressions are texts of the language of statements, and may
// have names of `Certificate::terms` in them.
struct ListedTensor {
  std::string name;  // of no other tensor
  std::string type;  // of an element, e.g. "f32"
  std::vector<std::string> dims;
  // Of integers and bools that follow from sizes and constants; row-major.
  std::optional<std::vector<std::string>> elements;
};

// An operation of the imported network; constants are none.
struct ListedOperation {
  std::string node;                   // of the model, with the scopes around it
  std::string op;                     // as its definition is called
  std::vector<std::string> operands;  // names of tensors; empty: an optional one that is absent
  std::vector<ListedTensor> results;
  // Indices of the obligations of its definition, but for those between numbers, which were
  // compared when it was built.
  std::vector<int64_t> obligations;
};

using Assignment = std::map<std::string, int64_t, std::less<>>;

struct Certificate {
  FileDigest model;
  // Of the files beside it that its tensors are in; `file` is a path below the model's folder.
  std::vector<FileDigest> data;
  std::optional<FileDigest> artifact;  // absent where none was written
  std::vector<std::string> options;    // as on the command line, e.g. "--dim H%2=0"
  std::vector<DeclaredSymbol> symbols;
  std::vector<DeclaredFact> facts;
  // A value for each symbol; they satisfy all facts, so that nothing is vacuous. The least sizes
  // that are declared, where these do.
  Assignment witness;
  std::vector<std::string> terms;  // `name = expr` each, for all that follows
  std::vector<ListedTensor> inputs;
  std::vector<std::string> outputs;  // names of tensors
  std::vector<ListedOperation> operations;
  std::vector<Obligation> obligations;
  std::string sha256;  // the seal, of all the rest; WriteCertificate ignores and computes it
};

// The seal: SHA-256 of what WriteCertificate writes before the comma, the line break and the
// indentation that precede `"sha256"`.
std::string Seal(const Certificate& certificate);

// SHA-256 of the same text without the artifact. The artifact carries it: it names the certificate
// that it was written with.
std::string ClaimsDigest(const Certificate& certificate);

// The file's text, sealed: indented by two blanks, keys in the order of the structs above. Bytes
// that are not UTF-8 become U+FFFD.
std::string WriteCertificate(const Certificate& certificate);

// The same in pieces, for who knows the artifact last, and for who has no need of the whole in one
// place: it is as large as a network has operations.
struct CertificateText {
  std::string before;              // the artifact
  std::vector<std::string> after;  // it, up to the seal
};
CertificateText TextOf(const Certificate& certificate);
std::string ClaimsDigest(const CertificateText& text);
std::string WriteCertificate(const CertificateText& text,
                             const std::optional<FileDigest>& artifact);

// The file that WriteCertificate returns, as what its parts are in. Outlived by `text`.
class CertificateFile {
 public:
  CertificateFile(const CertificateText& text, const std::optional<FileDigest>& artifact);
  CertificateFile(const CertificateFile&) = delete;
  absl::Span<const support::ByteRun> runs() const { return runs_; }

 private:
  std::string artifact_, end_;
  std::vector<support::ByteRun> runs_;
};

// Reads any JSON of this format, whether or not the seal is right. Errors name the place, e.g.
// `/obligations/3/verdict`: no JSON, a key that is unknown, missing or there twice, a value of
// another type or out of its range, another format or version.
absl::StatusOr<Certificate> ReadCertificate(std::string_view text);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_CERTIFICATE_H_
