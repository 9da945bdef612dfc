// Makes a model smaller: quantization and other compression of an ONNX file into an ONNX file.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "nests/library.h"
#include "report/page.h"
#include "support/file_set.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/tool.h"
#include "tools/compression/accuracy.h"
#include "tools/compression/configuration.h"
#include "tools/compression/judges.h"
#include "tools/compression/kept_steps.h"
#include "tools/compression/report.h"
#include "tools/compression/run.h"
#include "tools/tools.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera {
namespace {

constexpr char kProgram[] = "compress";

struct Arguments {
  std::string model, output, preset, config, data, evaluate, report, min_snr, max_drop, mean,
      deviation, statistics, resume;
  bool print_commands = false, quiet = false;
  cli::ImportFlags import;
};

cli::CommandLine Declare(Arguments& arguments) {
  cli::CommandLine line(kProgram,
                        "Compresses an ONNX network into an ONNX file: explicit quantization that "
                        "ONNX Runtime and every importer reads.");
  line.Positional("MODEL", "an ONNX file", &arguments.model)
      .Value("output|o", "FILE",
             "where the model goes; default: the model's name with `.q.onnx`, in the current "
             "folder",
             &arguments.output)
      .Value("preset", "NAME",
             absl::StrCat("a configuration that comes with the program: `",
                          absl::StrJoin(tools::PresetNames(), "`, `"), "`; default: `int8`"),
             &arguments.preset)
      .Value("config", "FILE", "a YAML configuration, in place of a preset", &arguments.config)
      .Value("data", "DIR",
             "samples of the network's inputs, for ranges of activations and biases: folders "
             "`test_data_set_K`, `.npz` files with an array for each input, or `.npy`, `.pb`, "
             "`.png`, `.jpg` or `.wav` files of its only input",
             &arguments.data)
      .Value("mean", "NUMBERS",
             "what is subtracted from pictures, whose values run from 0 to 1: a number, "
             "or with commas one for each channel",
             &arguments.mean)
      .Value("std", "NUMBERS", "what they are divided by then; likewise", &arguments.deviation)
      .Value(
          "statistics", "FILE",
          "keeps what was seen of values on the samples of `--data`, and takes it from there where "
          "the model is the same, whatever the samples are then; made if there is none",
          &arguments.statistics)
      .Value(
          "evaluate", "DIR",
          "samples that the result is compared with the original on, all of them; default: 32 of "
          "those of `--data`; by a bound a quarter that is held out of them, if there are 16",
          &arguments.evaluate)
      .Value("min-snr", "DB",
             "the least median SNR of every output on those samples; of the operations that cost "
             "most as few stay exact as it takes",
             &arguments.min_snr)
      .Value("max-drop", "DB",
             "the most that the error of compression may add to the part of an output that varies "
             "from sample to sample (`0.5dB`); likewise",
             &arguments.max_drop)
      .Value(
          "resume", "DIR",
          "keeps what each step has made in that folder, and goes on from there the next time: a "
          "run that was interrupted, or asks for more, does again only what was not done",
          &arguments.resume)
      .Value("report", "FILE",
             "writes an HTML page: what was done to each layer, and what it costs",
             &arguments.report)
      .Switch("print-commands", "prints what every algorithm asked for, and what was merged",
              &arguments.print_commands)
      .Switch("quiet", "no summary, and no comparison with the original", &arguments.quiet);
  arguments.import.Declare(line);
  line.Example("model.onnx --preset int8 --data calibration/ -o model.q.onnx")
      .Example("model.onnx --config compression.yaml --data calibration/ --report report.html")
      .Example("model.onnx --preset int8 --data calibration/ --max-drop 0.5dB -o small.onnx")
      .Example("model.onnx --data calibration/ --evaluate test/ --min-snr 30")
      .Example(
          "model.onnx --data pictures/ --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 -o "
          "model.q.onnx")
      .Example("model.onnx --data calibration/ --statistics seen.json --config other.yaml")
      .Example("model.onnx --data calibration/ --max-drop 0.5dB --resume steps/")
      .Example("model.onnx --preset weights-int8 -o small.onnx");
  return line;
}

absl::Status ClaimFiles(const Arguments& arguments, cli::FileRoles& roles) {
  absl::Status status = roles.Reads("the model", arguments.model);
  if (status.ok() && !arguments.config.empty())
    status = roles.Reads("the configuration", arguments.config);
  if (status.ok()) status = arguments.import.AddTo(roles);
  for (const std::string* folder : {&arguments.data, &arguments.evaluate}) {
    if (status.ok() && !folder->empty()) status = roles.ReadsSamples("a sample", *folder);
  }
  if (status.ok()) status = roles.Writes("the compressed model", arguments.output);
  if (status.ok() && !arguments.report.empty())
    status = roles.Writes("the report", arguments.report);
  if (status.ok() && !arguments.statistics.empty())
    status = roles.Writes("the statistics", arguments.statistics);
  return status;
}

void PrintQualities(const std::vector<tools::Quality>& qualities, const tools::Judges& judges) {
  for (const tools::Quality& quality : qualities) {
    std::cout << absl::StrFormat(
        "output `%s`: SNR %.1f dB, worst %.1f dB%s, largest error %.3g, over %s samples of %s\n",
        quality.output, quality.snr, quality.worst,
        std::isnan(quality.varying) ? ""
                                    : absl::StrFormat(", %.1f dB of what varies", quality.varying),
        quality.largest, quality.Samples(), judges.ToString());
  }
}

// `0.5` or `0.485,0.456,0.406`; nothing: none.
std::optional<std::vector<double>> Numbers(const std::string& text) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    double number = 0;
    if (!absl::SimpleAtod(part, &number) || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

int Compress(const cli::CommandLine& line, const Arguments& arguments, cli::FileRoles& roles,
             std::optional<tools::Bound> bound, data::Scaling scaling,
             const onnx_import::ImportOptions& import) {
  const absl::StatusOr<tools::CompressionConfiguration> configuration =
      arguments.config.empty()
          ? tools::ReadPreset(arguments.preset.empty() ? "int8" : arguments.preset)
          : tools::ReadCompression(arguments.config);
  if (!configuration.ok()) return cli::Report(kProgram, configuration.status());
  for (const std::string& note : configuration->notes) std::cerr << "note: " << note << "\n";
  absl::StatusOr<tools::StatisticsFile> statistics =
      arguments.statistics.empty() ? tools::StatisticsFile()
                                   : tools::StatisticsFile::Read(arguments.statistics);
  if (!statistics.ok()) return cli::Report(kProgram, statistics.status());
  if (const auto code = cli::ClaimData(line, kProgram, arguments.model, import, roles))
    return *code;
  std::optional<tools::KeptSteps> steps;
  if (!arguments.resume.empty()) {
    absl::StatusOr<tools::KeptSteps> opened = tools::KeptSteps::Open(arguments.resume);
    if (!opened.ok()) return cli::Report(kProgram, opened.status());
    steps = *std::move(opened);
  }
  tools::CompressionRequest request{arguments.model,
                                    arguments.data,
                                    import,
                                    {0, std::move(scaling)},
                                    arguments.statistics.empty() ? nullptr : &*statistics,
                                    steps ? &*steps : nullptr};
  if (!bound) bound = configuration->bound;
  const bool judged = !arguments.data.empty() || !arguments.evaluate.empty();
  if (bound && !judged)
    return cli::Report(kProgram,
                       absl::InvalidArgumentError(absl::StrCat(bound->ToString(),
                                                               " needs samples: `--data` or "
                                                               "`--evaluate`")));
  tools::Judges judges;
  if (judged) {
    absl::StatusOr<tools::ChosenJudges> chosen =
        tools::ChooseJudges(request, arguments.evaluate, bound.has_value());
    if (!chosen.ok()) return cli::Report(kProgram, chosen.status());
    judges = std::move(chosen->judges);
    if (!chosen->note.empty()) std::cerr << "note: " << chosen->note << "\n";
  }
  std::vector<std::string> kept_to;  // what the bound cost
  std::vector<tools::Quality> qualities;
  std::optional<tools::Compressed> compressed;
  if (bound) {
    absl::StatusOr<tools::Bounded> bounded = tools::CompressWithin(
        request, *configuration, *bound, judges, [&](const std::string& what) {
          if (!arguments.quiet) std::cerr << what << std::endl;
        });
    if (!bounded.ok()) return cli::Report(kProgram, bounded.status());
    kept_to = bounded->Summary(*bound);
    compressed = std::move(bounded->compressed);
    qualities = std::move(bounded->qualities);
  } else {
    absl::StatusOr<tools::Compressed> made = tools::Compress(request, *configuration);
    if (!made.ok()) return cli::Report(kProgram, made.status());
    compressed = *std::move(made);
  }
  if (qualities.empty() && judged && (!arguments.quiet || !arguments.report.empty())) {
    absl::StatusOr<std::vector<tools::Quality>> compared =
        tools::Compare(request, compressed->model, judges);
    if (!compared.ok()) return cli::Report(kProgram, compared.status());
    qualities = *std::move(compared);
  }
  support::FileSet files;
  absl::Status status = files.Add(arguments.output, compressed->model);
  if (status.ok() && !arguments.report.empty())
    status =
        files.Add(arguments.report, report::ToHtml(tools::CompressionPage(
                                        arguments.model, *compressed, qualities, judges, kept_to)));
  if (status.ok() && !arguments.statistics.empty())
    status = files.Add(arguments.statistics, statistics->Serialize());
  if (status.ok()) status = files.Commit();
  if (!status.ok()) return cli::Report(kProgram, status);
  if (arguments.print_commands) {
    for (const std::string& command : compressed->commands) std::cout << command << "\n";
    for (const std::string& merged : compressed->merged) std::cout << "merged: " << merged << "\n";
  }
  if (arguments.quiet) return cli::kDone;
  std::cout << compressed->controller.Summary() << "\n";
  if (steps && steps->taken() > 0)
    std::cout << steps->taken() << " steps were done before: " << arguments.resume << "\n";
  for (const std::string& line : kept_to) std::cout << line << "\n";
  PrintQualities(qualities, judges);
  std::cout << "wrote " << arguments.output << ": " << compressed->model.size() << " bytes, before "
            << compressed->bytes_before << "\n";
  return cli::kDone;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line = Declare(arguments);
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (!arguments.preset.empty() && !arguments.config.empty())
    return line.WrongUsage("`--preset` and `--config` exclude each other");
  if (!arguments.preset.empty()) {
    const std::string wrong = cli::NotOneOf("--preset", arguments.preset, tools::PresetNames());
    if (!wrong.empty()) return line.WrongUsage(wrong);
  }
  if (!arguments.min_snr.empty() && !arguments.max_drop.empty())
    return line.WrongUsage("`--min-snr` and `--max-drop` exclude each other");
  if (!arguments.resume.empty() && !arguments.statistics.empty())
    return line.WrongUsage(
        "`--resume` and `--statistics` exclude each other: a step that is not done again sees "
        "nothing of the samples");
  std::optional<tools::Bound> bound;
  const auto read = [&](tools::Bound::Kind kind, const char* flag,
                        const std::string& text) -> std::optional<int> {
    if (text.empty()) return std::nullopt;
    const absl::StatusOr<tools::Bound> parsed = tools::ParseBound(kind, text);
    if (!parsed.ok())
      return line.WrongUsage(absl::StrCat("`", flag, "` ", parsed.status().message()));
    if (arguments.data.empty() && arguments.evaluate.empty())
      return line.WrongUsage(absl::StrCat("`", flag, "` needs samples: `--data` or `--evaluate`"));
    bound = *parsed;
    return std::nullopt;
  };
  if (const std::optional<int> code =
          read(tools::Bound::Kind::kLeastSnr, "--min-snr", arguments.min_snr))
    return *code;
  if (const std::optional<int> code =
          read(tools::Bound::Kind::kMostDrop, "--max-drop", arguments.max_drop))
    return *code;
  const std::optional<std::vector<double>> mean = Numbers(arguments.mean);
  const std::optional<std::vector<double>> deviation = Numbers(arguments.deviation);
  if (!mean || !deviation)
    return line.WrongUsage(
        absl::StrCat("`--mean` and `--std` are numbers with commas between them, not `",
                     mean ? arguments.deviation : arguments.mean, "`"));
  if (std::any_of(deviation->begin(), deviation->end(), [](double d) { return d <= 0; }))
    return line.WrongUsage("`--std` is above 0");
  for (const auto& [flag, text] :
       {std::pair("--mean", &arguments.mean), std::pair("--std", &arguments.deviation)}) {
    if (!text->empty() && arguments.data.empty() && arguments.evaluate.empty())
      return line.WrongUsage(absl::StrCat("`", flag, "` goes with `--data` or `--evaluate`"));
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  nests::Library::Global().Add(ops::CoreNests());
  onnx_import::ImportOptions import;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, import))
    return *code;
  if (arguments.output.empty()) {
    const std::string name = arguments.model.substr(arguments.model.rfind('/') + 1);
    arguments.output = absl::StrCat(name.substr(0, name.rfind('.')), ".q.onnx");
  }
  cli::FileRoles roles;
  if (const absl::Status status = ClaimFiles(arguments, roles); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  return Compress(line, arguments, roles, bound, {*mean, *deviation}, import);
}

}  // namespace

namespace tools {

int Compress(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
