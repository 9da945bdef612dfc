#include "solver/certificate/certificate.h"

#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "solver/certificate/order.h"

namespace tessera::certificate {
namespace {

using Json = nlohmann::ordered_json;

Certificate Sample() {
  Certificate c;
  c.model = {"model.onnx", 123, std::string(64, 'a')};
  c.artifact = FileDigest{"model.circle", 456, std::string(64, '0')};
  c.options = {"--dim H%2=0"};
  c.symbols = {{"H", "dim 2 of input `x`", 1, 4096, 2, 0}, {"P", "past", 0, std::nullopt, 1, 0}};
  c.facts = {{"H >= P", "--dim \"H>=P\""}};
  c.witness = {{"H", 2}, {"P", 0}};
  c.obligations = {
      {"concat.agree",
       "import",
       "Concat",
       "/Concat_12",
       {"net", "up\n1"},
       "dim 2 differs",
       "t = floordiv(H, 2); t*2 == H",
       Verdict::kProved,
       "(check-sat)\n"},
      {"slice.bounds", "circle", "Slice", "", {}, "", "H >= 7", Verdict::kGuarded, ""}};
  return c;
}

TEST(Certificate, RoundTrip) {
  const std::string text = WriteCertificate(Sample());
  const auto read = ReadCertificate(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->sha256, Seal(Sample()));
  EXPECT_EQ(WriteCertificate(*read), text);
  EXPECT_EQ(read->symbols[0].hi, 4096);
  EXPECT_EQ(read->symbols[1].hi, std::nullopt);
  EXPECT_EQ(read->obligations[0].scopes[1], "up\n1");
  EXPECT_EQ(read->obligations[1].verdict, Verdict::kGuarded);
  EXPECT_EQ(text, Json::parse(text).dump(2) + "\n");
}

TEST(Certificate, EmptyListsAndEscapes) {
  Certificate c;
  c.options = {"a \"quoted\" \\ \t \x01 \x7f \u00e4"};
  c.symbols = {{"H", "", std::nullopt, -1, 1, 0}};
  c.operations = {{"n", "Op", {}, {{"t", "i64", {}, std::vector<std::string>()}}, {}}};
  const std::string text = WriteCertificate(c);
  EXPECT_EQ(text, Json::parse(text).dump(2) + "\n");
  EXPECT_EQ(WriteCertificate(TextOf(c), FileDigest{"f", 1, "ab"}), WriteCertificate([&] {
              Certificate with = c;
              with.artifact = FileDigest{"f", 1, "ab"};
              return with;
            }()));
  EXPECT_EQ(ClaimsDigest(TextOf(c)), Seal(c));
}

TEST(Certificate, ListsHaveOneOrder) {
  Certificate c;
  c.options = {"--dim W=2", "--dim H=1"};
  c.symbols = {{"W", "", 1, 2, 1, 0}, {"H", "", 1, 2, 1, 0}};
  c.facts = {{"W <= 9", ""}, {"H <= 9", ""}};
  c.terms = {"t1 = H + 1", "t2 = W + 1"};
  const auto obligation = [](const char* stage, const char* node, const char* statement,
                             const char* smt2) {
    Obligation o;
    o.stage = stage;
    o.node = node;
    o.statement = statement;
    o.smt2 = smt2;
    return o;
  };
  c.obligations = {obligation("device", "z", "2 < 3", "d"), obligation("device", "a", "1 < 3", "e"),
                   obligation("import", "b", "H > 0", "q"), obligation("import", "a", "H > 0", "")};
  c.operations = {{"a", "Op", {}, {}, {3}}, {"b", "Op", {}, {}, {2}}};
  EXPECT_EQ(OutOfOrder(c).size(), 5u);
  PutInOrder(c);
  EXPECT_TRUE(OutOfOrder(c).empty());
  EXPECT_EQ(c.symbols[0].name, "H");
  EXPECT_EQ(c.obligations[0].node, "a");
  EXPECT_EQ(c.obligations[0].smt2, "q");
  EXPECT_EQ(c.obligations[1].smt2, "");
  EXPECT_EQ(c.obligations[2].node, "z");  // as the device has them
  EXPECT_EQ(c.operations[0].obligations, std::vector<int64_t>{0});
  EXPECT_EQ(c.operations[1].obligations, std::vector<int64_t>{1});
  std::swap(c.terms[0], c.terms[1]);
  EXPECT_EQ(OutOfOrder(c).size(), 2u);
}

TEST(Certificate, WithoutArtifact) {
  Certificate c = Sample();
  c.artifact.reset();
  const std::string text = WriteCertificate(c);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("artifact")));
  const auto read = ReadCertificate(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->artifact.has_value());
  EXPECT_NE(Seal(c), Seal(Sample()));
}

TEST(Certificate, NamesThatAreNotUtf8) {
  Certificate c = Sample();
  c.obligations[0].node = "/Concat\xff";
  const auto read = ReadCertificate(WriteCertificate(c));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Seal(*read), read->sha256);
}

TEST(Certificate, LayoutIsNotSealed) {
  const auto read = ReadCertificate(Json::parse(WriteCertificate(Sample())).dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Seal(*read), read->sha256);
}

struct Damage {
  std::function<void(Json&)> apply;
  std::string error;
};

TEST(Certificate, ReadIsStrict) {
  const Damage damages[] = {
      {[](Json& j) { j["format"] = "other"; }, "`/format` is not `tessera certificate`"},
      {[](Json& j) { j["version"] = 2; }, "`/version` is 2, known is version 4"},
      {[](Json& j) { j["version"] = 4.0; }, "`/version` is number, wanted is an integer"},
      {[](Json& j) { j["x"] = 1; }, "`/` has an unknown key `x`"},
      {[](Json& j) { j.erase("witness"); }, "`/` lacks `witness`"},
      {[](Json& j) { j = 3; }, "`/` is number, wanted is an object"},
      {[](Json& j) { j["model"]["file"] = "../m"; }, "`/model/file` is `../m`"},
      {[](Json& j) { j["model"]["bytes"] = -1; }, "`/model/bytes` is -1, the least is 0"},
      {[](Json& j) { j["model"]["bytes"] = UINT64_MAX; }, "`/model/bytes` does not fit 64 bits"},
      {[](Json& j) { j["artifact"]["sha256"] = "A"; }, "`/artifact/sha256` is `A`"},
      {[](Json& j) { j["artifact"] = nullptr; }, "`/artifact` is null, wanted is an object"},
      {[](Json& j) { j["options"] = "x"; }, "`/options` is string, wanted is an array"},
      {[](Json& j) { j["options"][0] = 1; }, "`/options/0` is number, wanted is a string"},
      {[](Json& j) { j["symbols"][1]["stride"] = 0; }, "`/symbols/1/stride` is 0"},
      {[](Json& j) { j["symbols"][0]["residue"] = 2; }, "`/symbols/0/residue` is 2"},
      {[](Json& j) { j["symbols"][0]["name"] = ""; }, "`/symbols/0/name` is empty"},
      {[](Json& j) { j["facts"][0].erase("origin"); }, "`/facts/0` lacks `origin`"},
      {[](Json& j) { j["witness"] = Json::array(); }, "`/witness` is array, wanted is an object"},
      {[](Json& j) { j["witness"]["H"] = "2"; }, "`/witness/H` is string, wanted is an integer"},
      {[](Json& j) { j["obligations"][1]["verdict"] = "prove"; },
       "`/obligations/1/verdict` is `prove`, wanted is `proved` or `guarded`"},
      {[](Json& j) { j["obligations"][0]["scopes"][1] = nullptr; },
       "`/obligations/0/scopes/1` is null, wanted is a string"},
      {[](Json& j) { j["obligations"][0]["extra"] = 0; }, "has an unknown key `extra`"},
  };
  for (const Damage& damage : damages) {
    Json json = Json::parse(WriteCertificate(Sample()));
    damage.apply(json);
    const auto read = ReadCertificate(json.dump());
    EXPECT_THAT(std::string(read.status().message()), testing::HasSubstr(damage.error));
  }
}

TEST(Certificate, TextsThatAreNoCertificate) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("nonsense"), std::string(100000, '['),
        std::string("\xff"), WriteCertificate(Sample()) + "x"})
    EXPECT_FALSE(ReadCertificate(text).ok());
  std::string twice = WriteCertificate(Sample());
  twice.insert(1, "\"version\": 1,");
  EXPECT_THAT(std::string(ReadCertificate(twice).status().message()),
              testing::HasSubstr("the key `version` is twice"));
}

}  // namespace
}  // namespace tessera::certificate
