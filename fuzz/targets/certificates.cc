// Certificates, up to what is asked of a solver.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/targets/target.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/statement.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  const absl::StatusOr<certificate::Certificate> read = certificate::ReadCertificate(bytes);
  if (!read.ok()) return read.status().message().empty() ? "refused without a reason" : "";
  const std::string text = certificate::WriteCertificate(*read);
  const absl::StatusOr<certificate::Certificate> again = certificate::ReadCertificate(text);
  if (!again.ok())
    return absl::StrCat("not read back: ", std::string(again.status().message()), "\n", text);
  if (certificate::WriteCertificate(*again) != text)
    return absl::StrCat("written otherwise the second time: ", text);
  const absl::StatusOr<certificate::Library> library = certificate::Library::Read(read->terms);
  if (!library.ok()) return "";
  for (const certificate::Obligation& obligation : read->obligations)
    (void)certificate::ParseStatement(obligation.statement, *library);
  return "";
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  certificate::Certificate sample;
  sample.model = {"model.onnx", 123, std::string(64, 'a')};
  sample.artifact = certificate::FileDigest{"model.circle", 456, std::string(64, '0')};
  sample.options = {"--dim H%2=0"};
  sample.symbols = {{"H", "dim 2 of input `x`", 1, 4096, 2, 0}};
  sample.facts = {{"H >= 4", "--dim \"H>=4\""}};
  sample.witness = {{"H", 4}};
  sample.terms = {"t = floordiv(H, 2)"};
  sample.inputs = {{"x", "f32", {"1", "H"}, {}}};
  sample.operations = {{"node",
                        "Carve",
                        {"x", ""},
                        {{"y", "f32", {"1", "t"}, {}}, {"n", "i64", {"1"}, {{"t"}}}},
                        {0}}};
  sample.outputs = {"y"};
  sample.obligations = {{"slice.bounds",
                         "import",
                         "Carve",
                         "node",
                         {"net"},
                         "too far",
                         "t*2 == H",
                         certificate::Verdict::kProved,
                         ""},
                        {"slice.bounds",
                         "circle",
                         "Carve",
                         "",
                         {},
                         "",
                         "H >= 7",
                         certificate::Verdict::kGuarded,
                         ""}};
  return {certificate::WriteCertificate(sample)};
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
