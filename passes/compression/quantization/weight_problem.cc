#include "passes/compression/quantization/weight_problem.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/product.h"
#include "passes/compression/quantization/cholesky.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/weights/refitted.h"

namespace tessera::compression {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Wide = Eigen::MatrixXd;

// Beyond that many weights the search for a ridge would take minutes.
constexpr int64_t kMostRefitted = 2400;
// Products of a row with a column, for weights of which some stay 0: beyond that it would too.
constexpr double kMostKept = 1e9;
constexpr double kDamping = 0.01;              // of the mean of H's diagonal
constexpr double kNothing = 1e-30;             // less than that tells nothing
constexpr Eigen::Index kChannelsToJudge = 64;  // about so many
constexpr double kRidges[] = {0.1, 0.01, 1};

// Second moments, about the means where centered.
struct Moments {
  Wide xx;  // lower triangle
  Wide yx;  // [channels, weights]
};

struct Sums {
  Rows xx, yx;
  Eigen::VectorXd x, y;
  int64_t rows = 0;

  void Add(const Rows& xs, const Rows& ys) {
    if (rows == 0) {
      xx = Rows::Zero(xs.cols(), xs.cols());
      yx = Rows::Zero(ys.cols(), xs.cols());
      x = Eigen::VectorXd::Zero(xs.cols());
      y = Eigen::VectorXd::Zero(ys.cols());
    }
    AddMoments(xs, xx);
    Rows product(ys.cols(), xs.cols());
    kernels::AssignProduct(ys.transpose(), xs, product);
    yx += product;
    x += xs.cast<double>().colwise().sum().transpose();
    y += ys.cast<double>().colwise().sum().transpose();
    rows += xs.rows();
  }
};

Moments Of(const std::vector<const Sums*>& parts, bool centered) {
  Moments moments;
  const Sums& first = *parts[0];
  moments.xx = first.xx.cast<double>();
  moments.yx = first.yx.cast<double>();
  Eigen::VectorXd x = first.x, y = first.y;
  auto rows = static_cast<double>(first.rows);
  for (size_t i = 1; i < parts.size(); ++i) {
    moments.xx += parts[i]->xx.cast<double>();
    moments.yx += parts[i]->yx.cast<double>();
    x += parts[i]->x;
    y += parts[i]->y;
    rows += static_cast<double>(parts[i]->rows);
  }
  if (centered) {
    moments.xx.selfadjointView<Eigen::Lower>().rankUpdate(x, -1 / rows);
    moments.yx.noalias() -= y * x.transpose() / rows;
  }
  moments.xx /= rows;
  moments.yx /= rows;
  return moments;
}

double MeanOfDiagonal(const Wide& xx) {
  return std::max(xx.diagonal().mean(), std::numeric_limits<double>::min());
}

// In f32, which is precise enough for what is damped or has a ridge, and twice as fast.
using Narrow = Eigen::MatrixXf;

// How much the mean squared error of the results grows when a product's weights move.
class Move {
 public:
  // `w`: where they are. Of every `stride`th channel.
  Move(const Wide& w, const Moments& moments, Eigen::Index stride = 1)
      : xx_(moments.xx.cast<float>().selfadjointView<Eigen::Lower>()),
        scale_(MeanOfDiagonal(moments.xx)) {
    const Eigen::Index channels = (w.rows() + stride - 1) / stride;
    const auto every = Eigen::seqN(0, channels, stride);
    const Narrow weights = w(every, Eigen::all).cast<float>();
    missing_.resize(channels, w.cols());
    kernels::AssignProduct(weights, xx_, missing_);
    missing_ = Narrow(moments.yx(every, Eigen::all).cast<float>()) - missing_;
  }

  // The move that does best with that ridge.
  std::optional<Narrow> Best(double ridge) const {
    Narrow factor = xx_;
    factor.diagonal().array() += static_cast<float>(ridge * scale_);
    if (!Factorize(factor)) return std::nullopt;
    Narrow move = missing_.transpose();
    SolveFactorized(factor, move);
    return Narrow(move.transpose());
  }

  double ErrorOf(const Narrow& move) const {
    Narrow product(move.rows(), move.cols());
    kernels::AssignProduct(move, xx_, product);
    return move.cwiseProduct(product - 2 * missing_).cast<double>().sum();
  }

 private:
  Narrow xx_;
  Narrow missing_;
  double scale_;
};

// Where the weights of those that move do best, others being 0.
Wide Moved(const Wide& w, const Narrow& move, const Wide& xx, double ridge, const Mask& moving) {
  Matrix best = w + move.cast<double>();
  if (moving.empty()) return best;
  // Each row is a problem of its own.
  if (double(w.size()) * double(w.cols()) > kMostKept) return w;
  Matrix square = xx.selfadjointView<Eigen::Lower>();
  square.diagonal().array() += ridge * MeanOfDiagonal(xx);
  return RefittedKept(best, square, moving);
}

// Rounding by a factor R of H, the last entry first.
class Rounding {
 public:
  explicit Rounding(const Wide& xx) {
    const auto n = static_cast<size_t>(xx.rows());
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    // What counts most is rounded first, while all others can make up for it.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return xx(a, a) < xx(b, b); });
    Wide sorted = Wide::Zero(xx.rows(), xx.cols());  // the lower triangle is set
    for (Eigen::Index j = 0; j < xx.cols(); ++j) {
      for (Eigen::Index i = j; i < xx.rows(); ++i) {
        const int a = order_[static_cast<size_t>(i)], b = order_[static_cast<size_t>(j)];
        sorted(i, j) = a >= b ? xx(a, b) : xx(b, a);
      }
    }
    sorted.diagonal().array() += kDamping * MeanOfDiagonal(xx);
    good_ = MeanOfDiagonal(xx) > kNothing && (FactorInFloats(sorted) || FactorInDoubles(sorted));
  }

  bool good() const { return good_; }

  // `w` is [channels, weights]; codes likewise. Returns each channel's error.
  // `moving`: those that need not stay 0; empty: all.
  std::vector<double> Run(const Wide& w, const Grid& grid, const Mask& moving,
                          std::vector<int32_t>& codes) const {
    constexpr Eigen::Index kBlock = 64;
    const Eigen::Index n = w.cols(), channels = w.rows();
    const float* scale = grid.scale.data<float>();
    const bool per_channel = grid.scale.size() > 1;
    const auto zero = [&](Eigen::Index c) {
      return grid.zero_point ? grid.zero_point->data<int32_t>()[per_channel ? c : 0] : 0;
    };
    Rows errors = Rows::Zero(n, channels), passed = Rows::Zero(n, channels);
    std::vector<double> cost(static_cast<size_t>(channels));
    codes.resize(static_cast<size_t>(n * channels));
    const auto low = static_cast<float>(grid.low), high = static_cast<float>(grid.high);
    for (Eigen::Index end = n; end > 0; end -= std::min(end, kBlock)) {
      const Eigen::Index begin = std::max<Eigen::Index>(0, end - kBlock);
      for (Eigen::Index j = end - 1; j >= begin; --j) {
        if (j + 1 < end)
          passed.row(j).noalias() +=
              upper_.row(j).segment(j + 1, end - j - 1) * errors.middleRows(j + 1, end - j - 1);
        const Eigen::Index entry = order_[static_cast<size_t>(j)];
        const float pivot = upper_(j, j);
        for (Eigen::Index c = 0; c < channels; ++c) {
          const float step = scale[per_channel ? c : 0];
          const auto exact = static_cast<float>(w(c, entry));
          const float wanted = exact + passed(j, c) / pivot;
          const auto z = static_cast<float>(zero(c));
          const bool moves = moving.empty() || moving[static_cast<size_t>(c * n + entry)];
          const float code = moves ? std::clamp(std::nearbyint(wanted / step) + z, low, high) : z;
          const float number = (code - z) * step;
          codes[static_cast<size_t>(c * n + entry)] = static_cast<int32_t>(code);
          errors(j, c) = exact - number;
          const double left = double{pivot} * (double{wanted} - double{number});
          cost[static_cast<size_t>(c)] += left * left;
        }
      }
      if (begin > 0) {
        Rows product(begin, channels);
        kernels::AssignProduct(upper_.block(0, begin, begin, end - begin),
                               errors.middleRows(begin, end - begin), product);
        passed.topRows(begin) += product;
      }
    }
    return cost;
  }

 private:
  bool FactorInFloats(const Wide& sorted) {
    Narrow factor = sorted.cast<float>();
    if (!Factorize(factor)) return false;
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
    upper_ = factor.transpose();
    return upper_.allFinite();
  }
  bool FactorInDoubles(const Wide& sorted) {
    Wide factored = sorted;
    const Eigen::LLT<Eigen::Ref<Wide>> factor(factored);
    if (factor.info() != Eigen::Success || !factored.allFinite()) return false;
    upper_ = factored.transpose().cast<float>();
    return true;
  }

  std::vector<int> order_;
  Rows upper_;
  bool good_ = false;
};

}  // namespace

struct WeightProblem::State {
  int64_t weights, channels;
  bool centered;
  Sums learn, judge;
};

WeightProblem::WeightProblem(int64_t weights, int64_t channels, bool centered)
    : state_(std::make_unique<State>(State{weights, channels, centered, {}, {}})) {}
WeightProblem::~WeightProblem() = default;
WeightProblem::WeightProblem(WeightProblem&&) noexcept = default;

void WeightProblem::Add(const std::vector<float>& x, const std::vector<float>& y, int64_t rows,
                        bool judge) {
  const Eigen::Map<const Rows> xs(x.data(), rows, state_->weights);
  const Eigen::Map<const Rows> ys(y.data(), rows, state_->channels);
  (judge ? state_->judge : state_->learn).Add(xs, ys);
}

WeightProblem::Solution WeightProblem::Solve(const std::vector<float>& weights,
                                             const WeightScheme& scheme, const Grid* given) const {
  const State& s = *state_;
  Wide w = Eigen::Map<const Rows>(weights.data(), s.channels, s.weights).cast<double>();
  const Mask moving = scheme.zeros_stay ? NotZero(w) : Mask();
  std::vector<const Sums*> parts = {&s.learn};
  double ridge = 0;  // none
  if (s.judge.rows > 0) {
    if (s.centered && s.weights <= kMostRefitted) {
      const Eigen::Index stride = std::max<Eigen::Index>(1, w.rows() / kChannelsToJudge);
      const Move learn(w, Of({&s.learn}, true), stride), judge(w, Of({&s.judge}, true), stride);
      double least = 0;
      for (const double candidate : kRidges) {
        // The first is between the others: where a smaller one does better, a larger one does not.
        if (candidate == 1 && ridge == 0.01) break;
        const std::optional<Narrow> move = learn.Best(candidate);
        const double error = move && move->allFinite() ? judge.ErrorOf(*move) : 0;
        if (!(error < least)) continue;
        least = error;
        ridge = candidate;
      }
    }
    parts.push_back(&s.judge);
  }
  const Moments all = Of(parts, s.centered);
  if (ridge > 0) {
    const std::optional<Narrow> move = Move(w, all).Best(ridge);
    if (move && move->allFinite()) w = Moved(w, *move, all.xx, ridge, moving);
  }
  const std::vector<float> moved = [&] {
    const Rows narrow = w.cast<float>();
    return std::vector<float>(narrow.data(), narrow.data() + narrow.size());
  }();
  const ir::Tensor tensor = ir::Tensor::Of<float>(ir::DType::kF32, {s.channels, s.weights}, moved);
  std::vector<Grid> grids;
  if (given != nullptr) {
    grids.push_back(*given);
  } else {
    WeightScheme rows = scheme;
    rows.axis = 0;
    grids.push_back(ChooseWeightGrid(tensor, rows));
    if (scheme.search) {
      // The grid of the least error in weights need not have the least in results.
      rows.search = false;
      grids.push_back(ChooseWeightGrid(tensor, rows));
    }
  }
  const Rounding rounding(all.xx);
  Solution solution;
  const auto n = static_cast<size_t>(s.weights), channels = static_cast<size_t>(s.channels);
  solution.scales.resize(channels);
  solution.zeros.resize(channels);
  solution.codes.resize(channels * n);
  std::vector<double> least(channels, std::numeric_limits<double>::infinity());
  for (const Grid& grid : grids) {
    std::vector<int32_t> codes;
    std::vector<double> cost;
    if (rounding.good()) {
      cost = rounding.Run(w, grid, moving, codes);
    } else {
      // Nothing is fed to it: the nearest.
      const ir::Tensor nearest = CodesOf(tensor, grid);
      codes.assign(nearest.data<int32_t>(), nearest.data<int32_t>() + nearest.size());
      cost.assign(channels, 0);
    }
    for (size_t c = 0; c < channels; ++c) {
      if (!(cost[c] < least[c])) continue;
      least[c] = cost[c];
      const int64_t at = grid.scale.size() > 1 ? static_cast<int64_t>(c) : 0;
      solution.scales[c] = grid.scale.data<float>()[at];
      solution.zeros[c] = grid.zero_point ? grid.zero_point->data<int32_t>()[at] : 0;
      std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(c * n), n,
                  solution.codes.begin() + static_cast<std::ptrdiff_t>(c * n));
    }
  }
  return solution;
}

}  // namespace tessera::compression
