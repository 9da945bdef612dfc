// The runtimes of others in which Circle files run, and what each can hold: data that `probe` made
// (table.h).
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_RUNTIMES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_RUNTIMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/capabilities.h"
#include "targets/circle/runtimes/table.h"

namespace tessera::circle {

struct Runtime {
  std::string name;  // `onert`
  RuntimeTable table;
};

// In alphabetical order.
const std::vector<Runtime>& Runtimes();

// Those that an artifact is for: all of them, or a single one.
class Places : public ir::Capabilities {
 public:
  // A runtime's name, or `any`: it must run in each. Error: another name.
  static absl::StatusOr<Places> Of(std::string_view name);

  // Where nothing is said: `any`, but that what is quantized stays on integers where the format has
  // them, though a runtime refuses it; not where one yields other values.
  static Places ByDefault();

  const std::string& name() const { return name_; }
  // What none can hold is refused; otherwise it stays as it is, for those that can.
  bool strict() const { return runtimes_.size() == 1; }
  bool integers_everywhere() const { return integers_everywhere_; }
  bool Runs(std::string_view op, ir::DType dtype, int64_t rank,
            std::string_view form) const override;
  // `onert: refused: Slice: unsupported data type`; empty: all run it.
  std::string WhyNot(const Use& use) const;
  std::string WhyNot(const ir::Operation& op) const;  // empty also of what is no operator

 private:
  std::string WhyWrong(const Use& use) const;

  std::string name_;
  std::vector<const Runtime*> runtimes_;
  bool integers_everywhere_ = true;
};

inline constexpr char kAnyRuntime[] = "any";
// The names that `Of` takes, the default first.
std::vector<std::string> PlaceNames();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_RUNTIMES_H_
