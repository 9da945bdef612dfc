// opgen: turns op definition files into C++. The files after `--` are only looked up: ops, builders
// and functions of other sets.
//
//   opgen sources FOLDER FILE.op... -- ALL.op...
//   opgen nests TITLE SHARDS FOLDER FILE.op... -- ALL.op...
//   opgen aten TITLE SHARDS FOLDER FILE.op... -- ALL.op...
//   opgen index TITLE OUT.cc FILE.op...
//   opgen examples TITLE OUT.cc FILE.op... -- ALL.op...
//   opgen signatures TITLE OUT.cc FILE.op...
//   opgen traits TITLE OUT.cc FILE.op...
//   opgen shaders TITLE OUT.cc FILE.op...
//   opgen refusals TITLE OUT.cc FILE.op...
//   opgen manual TITLE OUT.md FILE.op... -- ALL.op... TARGET=SEEN.txt...
//   opgen support OUT.md FILE.op... -- ALL.op... TARGET=SEEN.txt...
//   opgen guards OUT.tsv FILE.op... -- ALL.op...
//   opgen divisors OUT.tsv FILE.op... -- ALL.op...
//   opgen imports OUT.tsv FILE.op...
//   opgen types OUT.tsv FILE.op...
//   opgen check FILE.op... -- ALL.op...
//
// Exit code 1 with diagnostics if a definition is wrong, 2 for wrong usage.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/aten_emitter.h"
#include "codegen/check.h"
#include "codegen/divisor_emitter.h"
#include "codegen/example_emitter.h"
#include "codegen/guard_emitter.h"
#include "codegen/import_facts.h"
#include "codegen/info_emitter.h"
#include "codegen/manual_emitter.h"
#include "codegen/nest_emitter.h"
#include "codegen/program.h"
#include "codegen/refusal_emitter.h"
#include "codegen/shader_emitter.h"
#include "codegen/signature_emitter.h"
#include "codegen/support_emitter.h"
#include "codegen/trait_emitter.h"

namespace tessera::codegen {
namespace {

int Usage() {
  std::cerr << "usage: opgen sources FOLDER FILE.op... -- ALL.op...\n"
               "       opgen nests TITLE SHARDS FOLDER FILE.op... -- ALL.op...\n"
               "       opgen aten TITLE SHARDS FOLDER FILE.op... -- ALL.op...\n"
               "       opgen index TITLE OUT.cc FILE.op...\n"
               "       opgen examples TITLE OUT.cc FILE.op... -- ALL.op...\n"
               "       opgen signatures TITLE OUT.cc FILE.op...\n"
               "       opgen traits TITLE OUT.cc FILE.op...\n"
               "       opgen shaders TITLE OUT.cc FILE.op...\n"
               "       opgen refusals TITLE OUT.cc FILE.op...\n"
               "       opgen manual TITLE OUT.md FILE.op... -- ALL.op... TARGET=SEEN.txt...\n"
               "       opgen support OUT.md FILE.op... -- ALL.op... TARGET=SEEN.txt...\n"
               "       opgen guards OUT.tsv FILE.op... -- ALL.op...\n"
               "       opgen divisors OUT.tsv FILE.op... -- ALL.op...\n"
               "       opgen imports OUT.tsv FILE.op...\n"
               "       opgen types OUT.tsv FILE.op...\n"
               "       opgen check FILE.op... -- ALL.op...\n";
  return 2;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  std::cerr << "error: cannot write `" << path << "`\n";
  return false;
}

bool Observe(const std::string& target, const std::string& path, Observed& observed) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (in) {
    AddObserved(target, text.str(), observed);
    return true;
  }
  std::cerr << "error: cannot read `" << path << "`\n";
  return false;
}

int Report(const Diagnostics& diagnostics) {
  std::cerr << diagnostics.Render();
  return diagnostics.empty() ? 0 : 1;
}

std::string StemOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

using Outputs = std::vector<std::pair<std::string, std::string>>;  // paths and texts

// None if a definition is wrong.
int WriteAll(const Outputs& outputs, const Diagnostics& diagnostics) {
  if (Report(diagnostics) != 0) return 1;
  for (const auto& [path, text] : outputs) {
    if (!Write(path, text)) return 1;
  }
  return 0;
}

// FOLDER/STEM.cc of each file.
int Sources(const std::string& out, const Program& program, const std::vector<std::string>& paths,
            Diagnostics& diagnostics) {
  Outputs outputs;
  for (const std::string& path : paths) {
    const File& file = *program.FileOf(path);
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    const std::string stem = StemOf(path);
    outputs.emplace_back(absl::StrCat(out, "/", stem, ".cc"),
                         EmitSource(program, file, stem, folder, diagnostics));
    CheckDeclarations(program, file, diagnostics);
  }
  return WriteAll(outputs, diagnostics);
}

// One line per type variable: op, variable, the dtypes that it may be.
std::string TypesOf(const std::vector<const File*>& files) {
  std::string text;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const TypeVariable& type : op.types)
        absl::StrAppend(&text, op.name, "\t", type.name, "\t",
                        absl::StrJoin(DTypesIn(type.classes), ","), "\n");
    }
  }
  return text;
}

// Each with the `.comp` beside its file.
std::string Shaders(const std::string& title, const Program& program,
                    const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<std::pair<const File*, std::string>> files;
  for (const std::string& path : paths) {
    const File& file = *program.FileOf(path);
    const bool any = std::any_of(file.ops.begin(), file.ops.end(),
                                 [](const Op& op) { return op.shader.has_value(); });
    if (!any) continue;
    std::ifstream in(path.substr(0, path.rfind('.')) + ".comp", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    files.emplace_back(&file, text.str());
  }
  return EmitShaders(files, title, diagnostics);
}

// FOLDER/nests_0.cc and so on, and FOLDER/nests.cc, which lists what is in them.
int Nests(const std::vector<std::string>& args, const Program& program,
          const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  size_t shards = 0;
  if (!absl::SimpleAtoi(args[2], &shards) || shards == 0) return Usage();
  std::vector<std::vector<const File*>> sources(shards);
  std::vector<const File*> files;
  for (const std::string& path : paths) {
    files.push_back(program.FileOf(path));
    sources[ShardOf(StemOf(path), shards)].push_back(files.back());
  }
  Outputs outputs;
  for (size_t i = 0; i < shards; ++i)
    outputs.emplace_back(absl::StrCat(args[3], "/nests_", i, ".cc"),
                         EmitNests(program, sources[i], diagnostics));
  outputs.emplace_back(args[3] + "/nests.cc", EmitNestIndex(files, args[1]));
  return WriteAll(outputs, diagnostics);
}

// FOLDER/aten_0.cc and so on, and FOLDER/aten_index.cc, which lists what is in them.
int Aten(const std::vector<std::string>& args, const Program& program,
         const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  size_t shards = 0;
  if (!absl::SimpleAtoi(args[2], &shards) || shards == 0) return Usage();
  std::vector<std::vector<const File*>> sources(shards);
  std::vector<std::vector<std::string>> names(shards);
  std::vector<const File*> files;
  for (const std::string& path : paths) {
    const size_t shard = ShardOf(StemOf(path), shards);
    files.push_back(program.FileOf(path));
    sources[shard].push_back(files.back());
    names[shard].push_back(path);
  }
  CheckAten(files, diagnostics);
  Outputs outputs;
  for (size_t i = 0; i < shards; ++i)
    outputs.emplace_back(absl::StrCat(args[3], "/aten_", i, ".cc"),
                         EmitAtenClauses(program, sources[i], names[i], diagnostics));
  outputs.emplace_back(args[3] + "/aten_index.cc", EmitAtenIndex(files, args[1]));
  return WriteAll(outputs, diagnostics);
}

int Main(const std::vector<std::string>& args) {
  if (args.empty()) return Usage();
  const std::string& mode = args[0];
  const std::map<std::string, std::ptrdiff_t> verbs = {
      {"sources", 2},  {"nests", 4},      {"aten", 4},     {"index", 3},
      {"examples", 3}, {"signatures", 3}, {"traits", 3},   {"shaders", 3},
      {"manual", 3},   {"support", 2},    {"guards", 2},   {"divisors", 2},
      {"imports", 2},  {"types", 2},      {"refusals", 3}, {"check", 1}};
  const auto verb = verbs.find(mode);
  const std::ptrdiff_t fixed = verb == verbs.end() ? 0 : verb->second;
  if (fixed == 0 || static_cast<std::ptrdiff_t>(args.size()) <= fixed) return Usage();
  const auto separator = std::find(args.begin() + fixed, args.end(), "--");
  // What is generated does not depend on the order in which files are named.
  std::vector<std::string> own(args.begin() + fixed, separator);
  std::sort(own.begin(), own.end());
  std::vector<std::string> all = own;
  Observed observed;
  for (auto it = separator; it != args.end(); ++it) {
    const size_t equals = it->find('=');
    if (equals != std::string::npos) {
      if (!Observe(it->substr(0, equals), it->substr(equals + 1), observed)) return 1;
    } else if (it != separator && std::find(own.begin(), own.end(), *it) == own.end()) {
      all.push_back(*it);
    }
  }
  if (own.empty()) return Usage();
  Diagnostics diagnostics;
  Program program;
  program.Load(all, diagnostics);
  if (!diagnostics.empty()) return Report(diagnostics);
  std::vector<const File*> files;
  for (const std::string& path : own) files.push_back(program.FileOf(path));
  if (mode == "sources") return Sources(args[1], program, own, diagnostics);
  if (mode == "nests") return Nests(args, program, own, diagnostics);
  if (mode == "aten") return Aten(args, program, own, diagnostics);
  if (mode == "check") {
    CheckAll(program, files, diagnostics);
    return Report(diagnostics);
  }
  std::string text;
  if (mode == "index") text = EmitIndex(files, args[1]);
  if (mode == "examples") text = EmitExamples(program, files, args[1], diagnostics);
  if (mode == "signatures") text = EmitSignatures(program, files, args[1]);
  if (mode == "traits") text = EmitTraits(files, args[1], diagnostics);
  if (mode == "refusals") {
    CheckRefusals(files, diagnostics);
    text = EmitRefusals(files, args[1]);
  }
  if (mode == "shaders") text = Shaders(args[1], program, own, diagnostics);
  if (mode == "manual") text = EmitManual(program, files, args[1], observed);
  if (mode == "support") text = EmitSupport(program, files, observed);
  if (mode == "guards") text = EmitGuards(files);
  if (mode == "divisors") text = EmitDivisors(program, files);
  if (mode == "imports") text = EmitImports(files);
  if (mode == "types") text = TypesOf(files);
  return Report(diagnostics) != 0 || !Write(args[static_cast<size_t>(fixed) - 1], text) ? 1 : 0;
}

}  // namespace
}  // namespace tessera::codegen

int main(int argc, char** argv) { return tessera::codegen::Main({argv + 1, argv + argc}); }
