// An exported program, read call by call: what the definitions make of it is compared with a
// certificate.
#ifndef TESSERA_RECHECK_PROGRAM_READER_H_
#define TESSERA_RECHECK_PROGRAM_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recheck/attribute.h"
#include "recheck/declarations.h"
#include "recheck/definitions.h"
#include "recheck/program.h"
#include "recheck/session.h"
#include "recheck/value.h"

namespace tessera::recheck {

class ProgramReader {
 public:
  ProgramReader(const Program& program, Session& session) : program_(program), session_(session) {}

  void Run();
  int64_t nodes() const { return nodes_; }

 private:
  // What a name stands for.
  struct Slot {
    TensorPtr tensor;     // null: not derived, or overwritten
    TensorPtr imaginary;  // of what is complex; `tensor` is the real part then
    int identity = 0;     // the same of names of one tensor
    int memory = 0;       // the same of names that may share memory
  };

  struct Numbers {
    TensorPtr tensor, imaginary;  // as in Slot
    friend bool operator==(const Numbers&, const Numbers&) = default;
  };

  // program_reader.cc
  bool IsCopy(const ProgramCall& call, const Overload& overload, const std::string& result) const;
  void FindChanged();
  void Inputs();
  // The listed tensor of that name, which is to be listed next.
  TensorPtr ListedInput(const ProgramInput& input, const std::string& name);
  void Input(const ProgramInput& input, const certificate::ListedTensor& listed);
  void Outputs(const std::vector<std::string>& outputs);
  void Call(const ProgramCall& call, const std::set<std::string>& read);
  // Why the clause cannot stand for the call; empty: it can.
  std::string Misfit(const ProgramCall& call, const Overload& overload) const;
  std::vector<TensorPtr> InputsOf(const ProgramCall& call, const Overload& overload);
  TensorPtr TensorOf(const ProgramItem& item);
  TensorPtr PartOf(const ProgramItem& item, bool imaginary);  // null: it is no complex number
  TensorPtr ListOf(const ProgramArgument& argument);          // of rank 1
  std::optional<std::vector<TensorPtr>> Interpret(const ProgramCall& call, const Overload& overload,
                                                  std::vector<bool> wanted);
  Attribute AttributeOf(const ProgramArgument& argument);
  Arguments ArgumentsOf(const ProgramCall& call, const Overload& overload);
  // Names of what a call writes over stand for its result from now on.
  void WriteOver(const ProgramCall& call, const std::string& name, const Numbers& result);

  // complex_numbers.cc
  using Results = std::optional<std::vector<Numbers>>;
  bool IsComplex(const ProgramItem& item) const;
  bool SpeaksOfComplex(const ProgramCall& call) const;
  bool IsComplexResult(const ProgramCall& call, size_t result) const;
  // What the clause makes of the call; nothing: the session knows why.
  Results Derive(const ProgramCall& call, const Overload& overload,
                 const std::vector<bool>& wanted);
  Results DeriveParts(const ProgramCall& call, const Overload& overload,
                      const std::vector<bool>& wanted);
  Results DeriveProducts(const ProgramCall& call, const Overload& overload,
                         const std::vector<bool>& wanted);
  Results DerivePairs(const ProgramCall& call, const Overload& overload,
                      const std::vector<bool>& wanted);
  // Of an input that is complex, the parts that it is made of at `place`.
  void TakeParts(const ProgramInput& input, const std::string& place, Slot& slot);
  TensorPtr Joined(const std::string& place, const Numbers& numbers);
  // What an overload makes of one argument, or of two.
  std::optional<std::vector<TensorPtr>> Converted(const std::string& place,
                                                  const std::string& overload,
                                                  const std::vector<Numbers>& arguments,
                                                  size_t results);

  // program_loops.cc
  Results LoopPart(const ProgramCall& call);
  Results BeginLoop(const ProgramCall& call);
  Results EndLoop(const ProgramCall& call);
  // The parts of what an argument lists, those of a complex number one behind the other; `complex`
  // says which are. Nothing: one is not derived.
  std::optional<std::vector<TensorPtr>> Listed(const ProgramCall& call, const std::string& argument,
                                               std::vector<bool>& complex);
  static std::vector<Numbers> Paired(const std::vector<TensorPtr>& parts,
                                     const std::vector<bool>& complex);

  // stored_tensor.cc
  TensorPtr Stored(const ProgramInput& input);

  // program_sizes.cc
  struct Axis {
    std::string input;
    int64_t axis = 0;
    std::string text;
    Dim listed = 0;
    std::string Alias() const;   // as options name it
    std::string Origin() const;  // where it stands
  };
  // A size in terms of what the program calls symbols.
  struct Form {
    Dim size = 0;
    std::set<std::string> symbols;
    bool whole = false;  // one symbol
  };
  // What the program says of a dim: bounds, or a remainder.
  struct Said {
    Dim dim = 0;
    int64_t low = 0, high = 0, modulus = 0, residue = 0;
    friend bool operator==(const Said&, const Said&) = default;
  };
  void Sizes();
  Dim Placeholder(const std::string& symbol);
  std::optional<Form> FormOf(const std::string& text);
  std::optional<int64_t> MostOf(const std::string& result);
  std::optional<Dim> ValueOf(const std::string& text, const std::map<std::string, Dim>& symbols);
  void Declare(const std::string& name, Dim dim, std::string origin);
  void TellSymbols(const std::vector<Axis>& axes, const std::vector<Form>& forms);
  void CompareAxes(const std::vector<Axis>& axes, const std::vector<Form>& forms);
  void TakeRanges();
  void TakeGuards();
  // By the path to the input in the words of a guard. Null: of none, or it is not known of which.
  const Axis* AxisAt(const std::string& path, int64_t axis) const;
  std::optional<bool> GuardAt(const std::string& text, Dim dim, int64_t size);
  bool Excludes(const Said& claimed);
  bool TakeRelation(const Declaration& declared, const std::string& option);
  // That a size which data decide is at least a number: which of them the program says is seen when
  // it is derived.
  bool TakeLeast(const std::string& option);
  void MeetLeast(const std::string& result, const Tensor& tensor);
  void CompareLeast();
  void CompareSaid();

  const Program& program_;
  Session& session_;
  std::map<std::string, Slot> values_;
  std::map<std::string, std::string> changed_;  // by input, the name of what it is in the end
  std::set<std::string> listed_;                // inputs that were met
  std::vector<Axis> axes_;
  std::map<std::string, Dim> named_dims_;
  std::map<std::string, Origin> origins_;
  std::vector<Session::Definition> definitions_;
  std::map<std::string, Dim> symbols_;  // of the program, by what the certificate has for them
  // Of a symbol that is no dim: the first dim that is factor * symbol + offset.
  struct Told {
    Dim dim = 0;
    int64_t factor = 1, offset = 0;
  };
  std::map<std::string, Told> told_;
  std::vector<Said> said_;
  std::vector<Dim> relations_;  // guards as statements
  struct Least {
    Dim statement = 0;
    std::string option;
    bool met = false;
  };
  std::vector<Least> least_;
  // A loop between its begin and its end.
  struct OpenLoop {
    std::vector<TensorPtr> here;  // position and states
    std::vector<bool> complex;    // of the states
    std::optional<Dim> length;    // nothing: as data says
  };
  std::map<std::string, OpenLoop> loops_;   // by the call
  std::set<const ProgramItem*> imaginary_;  // entries of arguments that are seen as these parts
  int64_t nodes_ = 0;
  int slots_ = 0;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_PROGRAM_READER_H_
