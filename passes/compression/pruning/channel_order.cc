#include "passes/compression/pruning/channel_order.h"

#include <algorithm>
#include <cstddef>

namespace tessera::compression {
namespace {

// Of a channel's variance: less is what rounding leaves of what others explain.
constexpr double kNone = 1e-9;

// What is left of the channels, given those that are chosen.
class Rest {
 public:
  explicit Rest(ChannelReader reader)
      : rest_(std::move(reader.covariance)), least_(kNone * rest_.diagonal()) {
    met_ = reader.weights * rest_;
    const double energy = met_.trace();
    if (energy > 0) met_ /= energy;
  }

  // By how much the reader's error falls with each channel.
  Eigen::VectorXd Gains() const {
    Eigen::VectorXd gains = rest_.cwiseProduct(met_).colwise().sum().transpose();
    for (int64_t c = 0; c < gains.size(); ++c)
      gains(c) = rest_(c, c) > least_(c) ? gains(c) / rest_(c, c) : 0;
    return gains;
  }

  void Choose(int64_t channel) {
    const double variance = rest_(channel, channel);
    if (!(variance > least_(channel))) return;
    const Eigen::VectorXd column = rest_.col(channel), met = met_.col(channel);
    const Eigen::VectorXd part = column / variance;
    rest_.noalias() -= column * part.transpose();
    met_.noalias() -= met * part.transpose();
  }

 private:
  Matrix rest_;            // the covariance of what is not explained
  Matrix met_;             // weights times that, as a part of the whole energy
  Eigen::VectorXd least_;  // a variance of no more is none
};

}  // namespace

std::vector<int64_t> OrderChannels(std::vector<ChannelReader> readers,
                                   const std::vector<double>& worth) {
  std::vector<Rest> rests;
  for (ChannelReader& reader : readers) rests.emplace_back(std::move(reader));
  const auto size = static_cast<int64_t>(worth.size());
  std::vector<bool> chosen(worth.size());
  std::vector<int64_t> order;
  for (int64_t step = 0; step < size; ++step) {
    Eigen::VectorXd gains = Eigen::VectorXd::Zero(size);
    for (const Rest& rest : rests) gains += rest.Gains();
    int64_t best = -1;
    for (int64_t c = 0; c < size; ++c) {
      const auto at = static_cast<size_t>(c);
      if (chosen[at]) continue;
      if (best < 0 || gains(c) > gains(best) ||
          (gains(c) == gains(best) && worth[at] > worth[static_cast<size_t>(best)]))
        best = c;
    }
    chosen[static_cast<size_t>(best)] = true;
    order.push_back(best);
    for (Rest& rest : rests) rest.Choose(best);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace tessera::compression
