#include "tools/views/dump.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/pipeline.h"
#include "report/xml_check.h"
#include "support/file.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/views/dump_flags.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::views {
namespace {

using report::XmlProblem;

constexpr char kText[] = R"(ir 1
symbol A : 1.. "dim 0 of input `a`"
symbol B : 1.. "dim 0 of input `b<script>`"
input %0 "a" : f32[A,4]
input %1 "b<script>" : f32[B,4]
%2 = core.Relu(%0) at "net/</script>/one"
%3 = core.Relu(%2) at "net/two"
%4 = core.Concat(%3, %1) {axis=0} at "net/sum"
output "y" = %4
)";

class DumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ir::Registry::Global().Add(ops::CoreOps());
    folder_ = absl::StrCat(::testing::TempDir(), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }

  void RunWith(std::set<Format> formats, const passes::Pipeline& pipeline) {
    absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(kText);
    ASSERT_TRUE(graph.ok()) << graph.status();
    Dump dump(std::move(formats), folder_, "net.onnx");
    passes::RunOptions options;
    options.print_on_failure = false;
    dump.Follow(options);
    std::vector<passes::PassReport> reports;
    const absl::Status ended = passes::Run(**graph, pipeline, options, reports);
    EXPECT_TRUE(dump.Finish(reports, ended).ok());
  }

  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.insert(entry.path().filename());
    return names;
  }

  std::string Read(const std::string& name) const {
    const absl::StatusOr<std::string> text = support::ReadFile(folder_ + "/" + name);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }

  std::string folder_;
};

TEST_F(DumpTest, OneFileAfterEachPassThatChangesSomething) {
  RunWith({Format::kText, Format::kDot, Format::kSvg}, passes::CanonicalPipeline());
  EXPECT_EQ(Files(), (std::set<std::string>{"0-import.dot", "0-import.ir", "0-import.svg",
                                            "4-canonicalize.dot", "4-canonicalize.ir",
                                            "4-canonicalize.svg"}));
  EXPECT_TRUE(ir::Parse(Read("0-import.ir")).ok());
  EXPECT_EQ(XmlProblem(Read("4-canonicalize.svg")), "");
  EXPECT_NE(Read("0-import.svg").find("f32[A,4]"), std::string::npos);
}

TEST_F(DumpTest, TheReportIsOneWellFormedPage) {
  RunWith({Format::kHtml}, passes::CanonicalPipeline());
  EXPECT_EQ(Files(), std::set<std::string>{"report.html"});
  const std::string html = Read("report.html");
  EXPECT_EQ(XmlProblem(html), "");
  // Nothing from elsewhere: the only address is the name of a namespace.
  std::string rest = html;
  for (size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != rest.npos;) rest.erase(at, 26);
  for (const char* outside : {"http:", "https:", "src=", "@import", "<link"})
    EXPECT_EQ(rest.find(outside), rest.npos) << outside;
  for (const char* part : {"canonicalize", "f32[A,4]", "b&lt;script&gt;", "net/&lt;/script&gt;/one",
                           "<code>core.Relu</code> -1", "2 operations are gone", "None is open",
                           "3 → 2", "1 of 5", "id=\"pass-4\" open"}) {
    EXPECT_NE(html.find(part), html.npos) << part;
  }
}

TEST_F(DumpTest, ProofsAndOpenObligationsAreInTheReport) {
  Report report;
  Step step;
  step.changed = true;
  step.graph.obligations = {{"Conv", "net/<conv>", "fits", "does not fit", "H - 2 >= 1"}};
  report.steps = {step};
  report.proofs = {{"import", {"Concat", "net/cat", "agree", "differ", "H == H"}, false},
                   {"circle", {"PAD", "net/pad", "room", "no room", "W >= 0"}, true}};
  const std::string html = ToHtml(report);
  EXPECT_EQ(XmlProblem(html), "");
  for (const char* part : {"net/&lt;conv&gt;", "H - 2 &gt;= 1", "1 was proved", "H == H"})
    EXPECT_NE(html.find(part), html.npos) << part;
  EXPECT_EQ(html.find("W &gt;= 0"), html.npos);  // what is guarded is open, and listed as such
}

TEST_F(DumpTest, AFailureIsInTheReport) {
  const passes::Pass fails = {
      "fails",
      "",
      passes::Phase::kOptimize,
      passes::Numerics::kExact,
      {},
      [](ir::Graph&, passes::PassContext&) { return absl::InternalError("because of <this>"); }};
  RunWith({Format::kHtml}, {passes::DeadCodePass(), fails});
  const std::string html = Read("report.html");
  EXPECT_EQ(XmlProblem(html), "");
  EXPECT_NE(html.find("pass `fails`: because of &lt;this&gt;"), html.npos);
}

TEST_F(DumpTest, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(support::MakeFolder(folder_).ok());
  ASSERT_TRUE(support::WriteFile(folder_ + "/file", "").ok());
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(kText);
  Dump dump({Format::kDot}, folder_ + "/file/below", "net");
  passes::RunOptions options;
  dump.Follow(options);
  std::vector<passes::PassReport> reports;
  EXPECT_TRUE(passes::Run(**graph, passes::CanonicalPipeline(), options, reports).ok());
  EXPECT_FALSE(dump.Finish(reports, absl::OkStatus()).ok());
}

TEST(DumpFlags, FormatsAndFolders) {
  const struct {
    std::vector<const char*> flags;
    std::optional<int> code;
    bool dumps;
    std::string place;
  } cases[] = {
      {{}, std::nullopt, false, "net.dump"},
      {{"--dump=html"}, std::nullopt, true, "net.dump/report.html"},
      {{"--dump=dot,svg", "--dump=text", "--dump-dir=d"}, std::nullopt, true, "d"},
      {{"--dump=htm"}, cli::kWrongUsage, false, ""},
      {{"--dump=svg,"}, cli::kWrongUsage, false, ""},
      {{"--dump-dir=d"}, cli::kWrongUsage, false, ""},
  };
  for (const auto& c : cases) {
    cli::CommandLine line("compile", "");
    DumpFlags flags;
    flags.Declare(line);
    std::vector<const char*> arguments = {"compile"};
    arguments.insert(arguments.end(), c.flags.begin(), c.flags.end());
    ASSERT_EQ(line.Parse(static_cast<int>(arguments.size()), arguments.data()), std::nullopt);
    std::unique_ptr<Dump> dump;
    EXPECT_EQ(flags.Resolve(line, "a/net.onnx", dump), c.code);
    EXPECT_EQ(dump != nullptr, c.dumps);
    EXPECT_TRUE(c.place.empty() || flags.Place("a/net.onnx") == c.place);
  }
}

}  // namespace
}  // namespace tessera::views
