#include "targets/circle/file/check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "targets/circle/file/sample_models.h"

namespace tessera::circle {
namespace {

using Texts = std::vector<std::string>;

Texts Errors(const FileModel& model) {
  Texts errors;
  for (const Finding& finding : CheckCircle(model)) {
    if (finding.is_error) errors.push_back(finding.text);
  }
  return errors;
}

Texts Warnings(const FileModel& model) {
  Texts warnings;
  for (const Finding& finding : CheckCircle(model)) {
    if (!finding.is_error) warnings.push_back(finding.text);
  }
  return warnings;
}

// The errors of `model` after `change`.
template <class Change>
Texts After(FileModel model, Change change) {
  change(model);
  return Errors(model);
}

TEST(Check, ModelsThatAreRight) {
  EXPECT_EQ(Errors(AddModel()), Texts());
  EXPECT_EQ(Errors(ConvModel()), Texts());
  EXPECT_EQ(Errors(EveryKindModel()), Texts());
  EXPECT_EQ(Warnings(AddModel()), Texts());
  EXPECT_EQ(Errors(FileModel()), Texts());
}

TEST(Check, Tensors) {
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().tensors[1].name.clear(); }),
            Texts{"tensor 1: no name, which readers do not expect"});
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().tensors[1].shape = {-2}; }),
            Texts{"tensor 1 `b`: dim -2, where dims are 0 to 2147483647 or -1"});
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().tensors[1].shape = {int64_t{1} << 31}; }),
            Texts{"tensor 1 `b`: dim 2147483648, where dims are 0 to 2147483647 or -1"});
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().tensors[1].type = TensorType(100); }),
            Texts{"tensor 1 `b`: type 100 is none of the format"});
  EXPECT_EQ(After(ConvModel(), [](FileModel& m) { m.main().tensors[2].shape = {4}; }),
            Texts{"tensor 2 `bias`: 12 bytes for FLOAT32 of shape [4]"});
  EXPECT_EQ(After(ConvModel(), [](FileModel& m) { m.main().tensors[2].shape = {-1}; }),
            Texts{"tensor 2 `bias`: shape [-1] of a constant"});
  EXPECT_EQ(After(ConvModel(), [](FileModel& m) { m.main().tensors[2].is_variable = true; }),
            Texts{"tensor 2 `bias`: both constant and variable"});
  const int64_t big = 2147483647;
  EXPECT_EQ(After(ConvModel(),
                  [&](FileModel& m) {
                    m.main().tensors[2].shape = {big, big, big};
                  }),
            Texts{"tensor 2 `bias`: 12 bytes for FLOAT32 of shape [2147483647, 2147483647, "
                  "2147483647]"});
}

TEST(Check, NamesAreShownOnOneShortLine) {
  const Texts errors = After(AddModel(), [](FileModel& m) {
    m.main().tensors[1].name = "a\n\x1b[2J" + std::string(1 << 20, 'x');
    m.main().tensors[1].shape = {-2};
  });
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].find('\n'), std::string::npos);
  EXPECT_LT(errors[0].size(), 300u);
}

TEST(Check, Quantization) {
  const auto quantized = [](FileQuantization quantization) {
    return After(AddModel(), [&](FileModel& m) {
      m.main().tensors[0].shape = {3, 2};
      m.main().tensors[0].quantization = quantization;
    });
  };
  EXPECT_EQ(quantized({{}, {}, {1, 2}, {0, 0}, 1}), Texts());
  EXPECT_EQ(quantized({{}, {}, {1}, {0}, 7}), Texts());
  EXPECT_EQ(quantized({{}, {}, {1, 2}, {0}, 1}),
            Texts{"tensor 0 `a`: 2 scales and 1 zero points, which come in pairs"});
  EXPECT_EQ(quantized({{1}, {}, {}, {}, 0}),
            Texts{"tensor 0 `a`: 1 minima and 0 maxima, which come in pairs"});
  EXPECT_EQ(quantized({{}, {}, {1, 2}, {0, 0}, 0}),
            Texts{"tensor 0 `a`: 2 scales along an axis of 3"});
  EXPECT_EQ(quantized({{}, {}, {1, 2}, {0, 0}, 2}),
            Texts{"tensor 0 `a`: quantized along axis 2 of 2"});
  EXPECT_EQ(quantized({{}, {}, {1}, {int64_t{1} << 31}, 0}),
            Texts{"tensor 0 `a`: zero point 2147483648 beyond 32 bits"});
}

TEST(Check, Interface) {
  EXPECT_EQ(After(AddModel(),
                  [](FileModel& m) {
                    m.main().inputs = {0, 1, 3};
                  }),
            Texts{"model input 2: tensor 3; the graph has 3"});
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().outputs = {-1}; }),
            Texts{"model output 0: tensor -1; the graph has 3"});
  EXPECT_EQ(After(AddModel(),
                  [](FileModel& m) {
                    m.main().inputs = {0, 1, 1};
                  }),
            Texts{"tensor 1 `b`: model input twice"});
  EXPECT_EQ(After(ConvModel(),
                  [](FileModel& m) {
                    m.main().inputs = {0, 1};
                  }),
            Texts{"tensor 1 `filter`: constant as model input"});
  EXPECT_EQ(
      After(EveryKindModel(), [](FileModel& m) { m.signatures[0].inputs[0].second = 1; }),
      Texts{"signature `serving`: input `image` is tensor 1, which is no input of the model"});
  EXPECT_EQ(
      After(EveryKindModel(), [](FileModel& m) { m.signatures[0].outputs[1].second = 99; }),
      Texts{"signature `serving`: output `second` is tensor 99, which is no output of the model"});
}

TEST(Check, Flow) {
  EXPECT_EQ(After(AddModel(), [](FileModel& m) { m.main().inputs = {0}; }),
            Texts{"operator 0 `ADD`: reads tensor 1 `b`, which nothing produces"});
  const auto chain = [](FileModel& m) {  // d = c + c
    m.main().tensors.push_back(Activation("d", {-1, 2}));
    m.main().operators.push_back(m.main().operators[0]);
    m.main().operators[1].inputs = {2, 2};
    m.main().operators[1].outputs = {3};
    m.main().outputs = {3};
  };
  EXPECT_EQ(After(AddModel(), chain), Texts());
  EXPECT_EQ(After(AddModel(),
                  [&](FileModel& m) {
                    chain(m);
                    std::swap(m.main().operators[0], m.main().operators[1]);
                  }),
            (Texts{"operator 0 `ADD`: reads tensor 2 `c`, which operator 1 `ADD` has not produced "
                   "yet",
                   "operator 0 `ADD`: reads tensor 2 `c`, which operator 1 `ADD` has not produced "
                   "yet"}));
  EXPECT_EQ(After(AddModel(),
                  [&](FileModel& m) {
                    chain(m);
                    m.main().operators[1].outputs = {2};
                    m.main().outputs = {2};
                  }),
            Texts{"tensor 2 `c`: produced by operator 0 `ADD` and by operator 1 `ADD`"});
  EXPECT_EQ(After(AddModel(), [&](FileModel& m) { m.main().operators[0].outputs = {0}; }),
            (Texts{"tensor 0 `a`: model input, and produced by operator 0 `ADD`",
                   "model output 0: tensor 2 `c`, which nothing produces"}));
  EXPECT_EQ(After(ConvModel(),
                  [&](FileModel& m) {
                    m.main().operators[0].outputs = {3, 2};
                  }),
            Texts{"tensor 2 `bias`: constant, and produced by operator 0 `CONV_2D`"});
  EXPECT_EQ(After(AddModel(),
                  [&](FileModel& m) {
                    m.main().operators[0].inputs = {0, 9};
                  }),
            Texts{"operator 0 `ADD`: input 1 is tensor 9; the graph has 3"});
  EXPECT_EQ(After(AddModel(),
                  [&](FileModel& m) {
                    m.main().operators[0].outputs = {2, -1};
                  }),
            Texts{"operator 0 `ADD`: output 1 is tensor -1; the graph has 3"});
}

TEST(Check, Operators) {
  const auto operators = [](FileModel model, auto change) {
    return After(std::move(model), [&](FileModel& m) { change(m.main().operators[0]); });
  };
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.builtin_code = -1; }),
            Texts{"operator 0: code -1 is none of the format"});
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.builtin_code = 127; }),
            Texts{"operator 0: code 127 is none of the format"});
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.version = 0; }),
            Texts{"operator 0 `ADD`: version 0, they begin at 1"});
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.custom_code = "x"; }),
            Texts{"operator 0 `ADD x`: a custom code beside a builtin"});
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.custom_options = "x"; }),
            Texts{"operator 0 `ADD`: custom options"});
  EXPECT_EQ(operators(AddModel(), [](FileOperator& op) { op.options_table = "MulOptions"; }),
            Texts{"operator 0 `ADD`: options `MulOptions`; it takes `AddOptions`"});
  EXPECT_EQ(operators(AddModel(),
                      [](FileOperator& op) {
                        op.options.push_back({"x", true});
                      }),
            Texts{"operator 0 `ADD`: option `x` of `AddOptions`: there is no such field"});
  EXPECT_EQ(operators(AddModel(),
                      [](FileOperator& op) {
                        op.options_table.clear();
                        op.options.clear();
                      }),
            Texts{"operator 0 `ADD`: options ``; it takes `AddOptions`"});
  // The bias of a convolution is no optional input to ONE's importer.
  EXPECT_EQ(operators(ConvModel(), [](FileOperator& op) { op.inputs.pop_back(); }),
            Texts{"operator 0 `CONV_2D`: 2 inputs; it takes 3"});
  EXPECT_EQ(After(EveryKindModel(),
                  [](FileModel& m) {
                    m.main().operators[2].inputs = {10, 3, 3};
                  }),
            Texts{"operator 2 `RESHAPE`: 3 inputs; it takes 1 to 2"});
}

TEST(Check, OptionsWithoutFieldsMayBeLeftOut) {
  FileModel model = AddModel();
  model.main().operators[0].builtin_code = ::circle::BuiltinOperator_MAXIMUM;
  model.main().operators[0].options.clear();
  model.main().operators[0].options_table = "";
  EXPECT_EQ(Errors(model), Texts());
  model.main().operators[0].options_table = "MaximumMinimumOptions";
  EXPECT_EQ(Errors(model), Texts());
}

TEST(Check, Warnings) {
  FileModel model = AddModel();
  model.main().tensors.push_back(Activation("a", {1}));
  model.main().operators[0].builtin_code = ::circle::BuiltinOperator_ATAN2;
  EXPECT_EQ(Errors(model), Texts());
  EXPECT_EQ(Warnings(model),
            (Texts{"operator 0 `ATAN2`: not known to the importer of ONE's compiler",
                   "tensor 3 `a`: nothing uses it", "tensor 3 `a`: also the name of tensor 0"}));
}

TEST(Check, ManyErrorsAreCut) {
  FileModel model;
  model.main().tensors.resize(5000);
  EXPECT_EQ(CheckCircle(model).size(), 1000u);
  const absl::Status status = ErrorsOf(CheckCircle(model));
  EXPECT_NE(status.message().find("\nand 990 more"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace tessera::circle
