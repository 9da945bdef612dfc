// What a long run says of itself on stderr, a phase at a time.
#ifndef TESSERA_TOOLS_CLI_PROGRESS_H_
#define TESSERA_TOOLS_CLI_PROGRESS_H_

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tessera::cli {

class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet) {}
  // Ends the phase before, and says what is done now.
  void Start(const std::string& phase);
  // Says how long the phase took. Nothing if there is none.
  void Stop();
  // Phases that ended, in order, with their milliseconds.
  const std::vector<std::pair<std::string, double>>& times() const { return times_; }

 private:
  bool quiet_;
  std::string phase_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::pair<std::string, double>> times_;
};

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_PROGRESS_H_
