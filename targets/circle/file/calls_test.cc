#include "targets/circle/file/calls.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/sample_models.h"

namespace tessera::circle {
namespace {

using Texts = std::vector<std::string>;

Texts Findings(const FileModel& model, bool errors) {
  Texts texts;
  for (const Finding& finding : CheckCircle(model)) {
    if (finding.is_error == errors) texts.push_back(finding.text);
  }
  return texts;
}

// The errors of `model` after `change`.
template <class Change>
Texts After(FileModel model, Change change) {
  change(model);
  return Findings(model, /*errors=*/true);
}

void SetOption(FileModel& model, size_t option, int64_t graph) {
  model.main().operators[0].options[option].second = graph;
}

TEST(Calls, AreRightInModelsThatAre) {
  for (const FileModel& model : {WhileModel(), IfModel()}) {
    EXPECT_EQ(Findings(model, true), Texts());
    EXPECT_EQ(Findings(model, false), Texts());
  }
  const GraphCall call = CallOf(WhileModel().main().operators[0]);
  EXPECT_EQ(call.kind, GraphCall::kWhile);
  EXPECT_EQ(call.graphs, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(CallOf(IfModel().main().operators[0]).kind, GraphCall::kIf);
  EXPECT_EQ(CallOf(AddModel().main().operators[0]).kind, GraphCall::kNone);
}

TEST(Calls, NameGraphsOfTheFile) {
  for (int64_t graph : {-1, 3, 2147483647}) {
    EXPECT_EQ(
        After(WhileModel(), [&](FileModel& m) { SetOption(m, 1, graph); }),
        Texts{"operator 0 `WHILE`: runs subgraph " + std::to_string(graph) + "; the file has 3"});
    EXPECT_EQ(
        After(IfModel(), [&](FileModel& m) { SetOption(m, 0, graph); }),
        Texts{"operator 0 `IF`: runs subgraph " + std::to_string(graph) + "; the file has 3"});
  }
  FileModel model = IfModel();
  model.graphs.push_back(model.graphs[1]);
  EXPECT_EQ(Findings(model, true), Texts());
  EXPECT_EQ(Findings(model, false), Texts{"subgraph 3 `then`: nothing runs it"});
}

TEST(Calls, DoNotRecur) {
  EXPECT_EQ(After(IfModel(),
                  [](FileModel& m) {
                    m.graphs[2].tensors.push_back(m.main().tensors[0]);
                    m.graphs[2].inputs = {2, 0};
                    m.graphs[2].operators = m.main().operators;
                    m.graphs[2].operators[0].inputs = {2, 0};
                    m.graphs[2].operators[0].outputs = {1};
                    m.main().operators[0].inputs = {0, 0, 1};
                    m.graphs[1].tensors.push_back(m.main().tensors[0]);
                    m.graphs[1].inputs = {2, 0};
                    SetOption(m, 0, 1);
                  })
                .back(),
            "subgraph 2 is run by itself");
  const Texts to_itself = After(WhileModel(), [](FileModel& m) { SetOption(m, 1, 0); });
  ASSERT_FALSE(to_itself.empty());
  EXPECT_EQ(to_itself.back(), "subgraph 0 is run by itself");
}

TEST(Calls, AreNotDeep) {
  const auto chain = [](int depth) {
    FileModel model = IfModel();
    const FileGraph end = model.graphs[1];
    FileGraph link = model.main();
    model.graphs = {link};
    for (int g = 1; g <= depth; ++g) {
      // Each passes the condition on, as an operand behind the first.
      FileGraph& graph = model.graphs.back();
      graph.operators[0].inputs = {0, 0, 1};
      graph.operators[0].options = {{"then_subgraph_index", int64_t{g}},
                                    {"else_subgraph_index", int64_t{g}}};
      model.graphs.push_back(link);
    }
    model.graphs.back().operators[0] = end.operators[0];
    model.graphs.back().operators[0].inputs = {1, 1};
    model.graphs.back().operators[0].outputs = {2};
    return model;
  };
  EXPECT_EQ(Findings(chain(kMostNested), true), Texts());
  EXPECT_EQ(Findings(chain(kMostNested + 1), true),
            Texts{"subgraphs run one another 65 deep, at most 64 are read"});
  EXPECT_EQ(Findings(chain(3000), true).size(), 1);
}

TEST(Calls, TakeAndYieldWhatTheirGraphsDo) {
  EXPECT_EQ(After(WhileModel(), [](FileModel& m) { m.graphs[1].inputs.pop_back(); }),
            (Texts{"operator 0 `WHILE`: 3 operands; subgraph 1 has 2 inputs"}));
  EXPECT_EQ(After(WhileModel(), [](FileModel& m) { m.graphs[2].outputs.pop_back(); }),
            (Texts{"operator 0 `WHILE`: 3 operands; subgraph 2 has 2 outputs",
                   "operator 0 `WHILE`: 3 results; subgraph 2 has 2 outputs"}));
  EXPECT_EQ(
      After(WhileModel(),
            [](FileModel& m) {
              m.graphs[2].outputs = {5, 1, 4};
            }),
      (Texts{"operator 0 `WHILE`: operand 0 is INT32[], output 0 of subgraph 2 is FLOAT32[-1]",
             "operator 0 `WHILE`: operand 2 is FLOAT32[-1], output 2 of subgraph 2 is INT32[]",
             "operator 0 `WHILE`: result 0 is INT32[], output 0 of subgraph 2 is FLOAT32[-1]",
             "operator 0 `WHILE`: result 2 is FLOAT32[-1], output 2 of subgraph 2 is "
             "INT32[]"}));
  EXPECT_EQ(After(WhileModel(),
                  [](FileModel& m) {
                    m.main().tensors[1].shape = m.main().tensors[5].shape = {3};
                    m.graphs[2].tensors[2].shape = {4};
                  }),
            Texts{"operator 0 `WHILE`: operand 2 is FLOAT32[3], input 2 of subgraph 2 is "
                  "FLOAT32[4]"});
  EXPECT_EQ(After(WhileModel(), [](FileModel& m) { m.main().operators[0].inputs[2] = -1; }),
            (Texts{"operator 0 `WHILE`: operand 2 is left out; subgraph 1 needs all",
                   "operator 0 `WHILE`: operand 2 is left out; subgraph 2 needs all",
                   "operator 0 `WHILE`: operand 2 is left out; subgraph 2 needs all"}));
  EXPECT_EQ(After(WhileModel(), [](FileModel& m) { m.graphs[1].outputs = {0}; }),
            Texts{"operator 0 `WHILE`: its condition, subgraph 1, yields other than one bool"});
  EXPECT_EQ(After(IfModel(),
                  [](FileModel& m) {
                    m.main().operators[0].inputs = {1, 1};
                  }),
            Texts{"operator 0 `IF`: its first operand is no bool of one element"});
  EXPECT_EQ(After(IfModel(),
                  [](FileModel& m) {
                    m.graphs[2].outputs = {0, 1};
                  }),
            Texts{"operator 0 `IF`: 1 results; subgraph 2 has 2 outputs"});
}

TEST(Calls, GraphsAreCheckedLikeTheFirst) {
  EXPECT_EQ(After(WhileModel(),
                  [](FileModel& m) {
                    m.graphs[2].operators[1].inputs = {2, 9};
                  }),
            Texts{"subgraph 2 `body`: operator 1 `ADD`: input 1 is tensor 9; the graph has 6"});
  EXPECT_EQ(After(WhileModel(),
                  [](FileModel& m) {
                    m.graphs[1].inputs = {0, 1, 8};
                  }),
            Texts{"subgraph 1 `condition`: input 2: tensor 8; the graph has 4"});
}

}  // namespace
}  // namespace tessera::circle
