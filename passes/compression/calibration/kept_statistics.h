// What was seen of one model, as numbers by name: so that another run need not see it again.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_KEPT_STATISTICS_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_KEPT_STATISTICS_H_

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::calibration {

class KeptStatistics {
 public:
  // Null: there is nothing of that name.
  const std::vector<double>* Find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  // What is not finite is not kept.
  void Keep(const std::string& name, std::vector<double> numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [](double n) { return std::isfinite(n); }))
      all_[name] = std::move(numbers);
  }
  const std::map<std::string, std::vector<double>>& all() const { return all_; }

 private:
  std::map<std::string, std::vector<double>> all_;
};

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_KEPT_STATISTICS_H_
