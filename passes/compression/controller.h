// What an algorithm did, and how much: for reports, and for loops that look for the level of
// compression that a loss allows.
#ifndef TESSERA_PASSES_COMPRESSION_CONTROLLER_H_
#define TESSERA_PASSES_COMPRESSION_CONTROLLER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::compression {

// Figures of one operation.
struct LayerReport {
  std::string scope, what;                    // `to i8, 64 scales along axis 0`
  int64_t bytes_before = 0, bytes_after = 0;  // of its constants
  double snr = 0;        // of its result against the exact network's, dB; 0: not measured
  double saturated = 0;  // part of the elements that the grid cuts off
  std::string reason;    // why nothing was done; empty: something was
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::vector<LayerReport> Statistics() const = 0;
  // A line for people.
  virtual std::string Summary() const = 0;
};

// What is known of the layers once the commands are made.
class RecordedController : public Controller {
 public:
  RecordedController(std::vector<LayerReport> layers, std::string summary)
      : layers_(std::move(layers)), summary_(std::move(summary)) {}
  std::vector<LayerReport> Statistics() const override { return layers_; }
  std::string Summary() const override { return summary_; }

 private:
  std::vector<LayerReport> layers_;
  std::string summary_;
};

// Several as one: what they say one after the other.
class CompositeController : public Controller {
 public:
  void Add(std::unique_ptr<Controller> child) { children_.push_back(std::move(child)); }
  std::vector<LayerReport> Statistics() const override;
  std::string Summary() const override;

 private:
  std::vector<std::unique_ptr<Controller>> children_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_CONTROLLER_H_
