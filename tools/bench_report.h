// What `bench` measured, as text and as JSON.
#ifndef TESSERA_TOOLS_BENCH_REPORT_H_
#define TESSERA_TOOLS_BENCH_REPORT_H_

#include <string>
#include <vector>

#include "targets/target.h"

namespace tessera {

// Of a list of seconds, by rank: the middle one, or the mean of the two; a tenth and nine tenths of
// the way, to the nearest.
struct Spread {
  double median = 0, p10 = 0, p90 = 0, least = 0, most = 0;
};
Spread SpreadOf(std::vector<double> seconds);  // not empty

struct Measured {
  std::string subject, device;
  std::vector<std::string> inputs;  // `input f32[1,3,64,64]`
  double first = 0;                 // seconds of the first run, with all that it prepares
  int warm_up = 0;                  // runs before those that count, the first among them
  std::vector<double> runs;         // seconds
  std::vector<double> processor;    // seconds of this process in each of them, of all its threads
  // By step, what each run of them took; empty: they are not told apart, for this reason.
  std::vector<targets::StepTime> steps;  // of the last of these runs
  std::vector<std::vector<double>> step_seconds;
  std::string no_steps;
};

std::string TextOf(const Measured& measured);
std::string JsonOf(const Measured& measured);

}  // namespace tessera

#endif  // TESSERA_TOOLS_BENCH_REPORT_H_
