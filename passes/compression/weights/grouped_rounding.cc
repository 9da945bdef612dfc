#include "passes/compression/weights/grouped_rounding.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Cholesky"

namespace tessera::compression {
namespace {

using Vector = Eigen::VectorXd;

Matrix Damped(const Matrix& inputs) {
  const double mean = inputs.diagonal().mean();
  Matrix damped = inputs;
  damped.diagonal().array() += mean > 0 ? kInputsDamping * mean : 1;
  return damped;
}

// One row on its grids.
class Row {
 public:
  Row(const Vector& target, const Matrix& inputs, const GroupedScheme& scheme, int* codes,
      float* scales, int* zero_points)
      : target_(target),
        inputs_(inputs),
        scheme_(scheme),
        range_(CodeRange::Of(scheme)),
        codes_(codes),
        scales_(scales),
        zero_points_(zero_points),
        size_(target.size()),
        groups_((size_ + scheme.group - 1) / scheme.group) {}

  // `factor`: upper triangular, of the inverse of `inputs`.
  void RoundInTurn(const Matrix& factor) {
    Vector w = target_;
    Vector importance(size_);
    for (int64_t k = 0; k < size_; ++k) importance[k] = 1 / (factor(k, k) * factor(k, k));
    for (int64_t g = 0; g < groups_; ++g) {
      const int64_t begin = g * scheme_.group, end = std::min(size_, begin + scheme_.group);
      Vector stored = w.segment(begin, end - begin);
      for (int64_t k = begin; k < end; ++k) {
        if (Stays(k)) stored[k - begin] = 0;
      }
      const GroupGrid grid =
          ChooseGroupGrid(stored.data(), importance.data() + begin, end - begin, scheme_);
      scales_[g] = grid.scale;
      zero_points_[g] = grid.zero_point;
      for (int64_t k = begin; k < end; ++k) {
        codes_[k] = range_.Nearest(Stays(k) ? 0 : w[k] / grid.scale, grid.zero_point);
        const double error = (w[k] - Number(k)) / factor(k, k);
        if (error == 0) continue;
        for (int64_t j = k + 1; j < size_; ++j) w[j] -= error * factor(k, j);
      }
    }
  }
  double Error() const {
    const Vector d = Difference();
    return d.dot(inputs_ * d);
  }

  // Scales of all groups at once: the least squares of their sum.
  void FitScales() {
    if (scheme_.binary_scales) return;
    const double before = Error();
    // inputs * part, where part has the numbers of steps, each in the column of its group.
    Matrix weighted = Matrix::Zero(groups_, size_);
    for (int64_t k = 0; k < size_; ++k) {
      const int64_t g = k / scheme_.group;
      weighted.row(g) += range_.LevelOf(codes_[k], zero_points_[g]) * inputs_.row(k);
    }
    Matrix normal = Matrix::Zero(groups_, groups_);
    for (int64_t k = 0; k < size_; ++k) {
      const int64_t g = k / scheme_.group;
      normal.col(g) += range_.LevelOf(codes_[k], zero_points_[g]) * weighted.col(k);
    }
    const double mean = normal.diagonal().mean();
    if (!(mean > 0)) return;
    normal.diagonal().array() += 1e-9 * mean;
    const Vector scales = normal.llt().solve(weighted * target_);
    const std::vector<float> kept(scales_, scales_ + groups_);
    for (int64_t g = 0; g < groups_; ++g) {
      const float scale = static_cast<float>(scales[g]);
      if (IsScale(scale)) scales_[g] = scale;
    }
    if (!(Error() <= before)) std::copy(kept.begin(), kept.end(), scales_);
  }

  // Codes one by one, each the best with all others as they are. Whether any changed.
  bool FitCodes() {
    bool any = false;
    Vector slope = inputs_ * Difference();
    for (int sweep = 0; sweep < 4; ++sweep) {
      bool changed = false;
      for (int64_t k = 0; k < size_; ++k) {
        const int64_t g = k / scheme_.group;
        if (Stays(k)) continue;
        const double wanted = Number(k) - slope[k] / inputs_(k, k);
        const int code = range_.Nearest(wanted / scales_[g], zero_points_[g]);
        if (code == codes_[k]) continue;
        const double step =
            range_.LevelOf(code, zero_points_[g]) * static_cast<double>(scales_[g]) - Number(k);
        if (2 * step * slope[k] + step * step * inputs_(k, k) >= 0) continue;
        codes_[k] = code;
        slope += step * inputs_.row(k).transpose();
        changed = true;
      }
      if (!changed) break;
      any = true;
    }
    return any;
  }

  // Zero points by one up or down, with the codes as they are or moved along.
  bool FitZeroPoints() {
    if (scheme_.symmetric || scheme_.levels != nullptr) return false;
    bool any = false;
    Vector slope = inputs_ * Difference();
    for (int64_t g = 0; g < groups_; ++g) {
      const int64_t begin = g * scheme_.group, n = std::min(size_, begin + scheme_.group) - begin;
      const double scale = scales_[g];
      Vector moves = Vector::Ones(n);  // codes of what stays 0 go along
      for (int64_t k = begin; k < begin + n; ++k) {
        if (Stays(k)) moves[k - begin] = 0;
      }
      const double sum = slope.segment(begin, n).dot(moves);
      const double square = moves.dot(inputs_.block(begin, begin, n, n) * moves);
      for (const int by : {-1, 1}) {
        const int zero_point = zero_points_[g] + by;
        if (zero_point < range_.low || zero_point > range_.high) continue;
        const double step = -by * scale;
        if (2 * step * sum + step * step * square >= 0) continue;
        zero_points_[g] = zero_point;
        for (int64_t k = begin; k < begin + n; ++k) {
          if (Stays(k)) codes_[k] += by;
        }
        slope += step * (inputs_.middleCols(begin, n) * moves);
        any = true;
        break;
      }
    }
    return any;
  }

 private:
  bool Stays(int64_t k) const { return scheme_.zeros_stay && target_[k] == 0; }
  double Number(int64_t k) const {
    const int64_t g = k / scheme_.group;
    return range_.LevelOf(codes_[k], zero_points_[g]) * static_cast<double>(scales_[g]);
  }
  Vector Difference() const {
    Vector d(size_);
    for (int64_t k = 0; k < size_; ++k) d[k] = Number(k) - target_[k];
    return d;
  }

  const Vector& target_;
  const Matrix& inputs_;
  const GroupedScheme& scheme_;
  const CodeRange range_;
  int* codes_;
  float* scales_;
  int* zero_points_;
  const int64_t size_, groups_;
};

GroupedCodes Empty(const Matrix& weight, const GroupedScheme& scheme) {
  GroupedCodes result;
  result.rows = weight.rows();
  result.inputs = weight.cols();
  result.groups = (result.inputs + scheme.group - 1) / scheme.group;
  result.codes.resize(static_cast<size_t>(result.rows * result.inputs));
  result.scales.resize(static_cast<size_t>(result.rows * result.groups));
  result.zero_points.resize(result.scales.size());
  return result;
}

// A group by itself: its scale is fitted to its codes, the codes to the scale.
double RoundGroup(const double* w, int64_t n, const GroupedScheme& scheme, int* codes, float& scale,
                  int& zero_point) {
  const CodeRange range = CodeRange::Of(scheme);
  const GroupGrid grid = ChooseGroupGrid(w, nullptr, n, scheme);
  scale = grid.scale;
  zero_point = grid.zero_point;
  const auto round = [&](float with, int* to) {
    double error = 0;
    for (int64_t k = 0; k < n; ++k) {
      to[k] = range.Nearest(w[k] / with, zero_point);
      const double off = range.LevelOf(to[k], zero_point) * static_cast<double>(with) - w[k];
      error += off * off;
    }
    return error;
  };
  double error = round(scale, codes);
  std::vector<int> others(static_cast<size_t>(n));
  for (int turn = 0; turn < scheme.turns && error > 0 && !scheme.binary_scales; ++turn) {
    double product = 0, squares = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double steps = range.LevelOf(codes[k], zero_point);
      product += steps * w[k];
      squares += steps * steps;
    }
    const float fitted = squares > 0 ? static_cast<float>(product / squares) : scale;
    if (!IsScale(fitted)) break;
    const double now = round(fitted, others.data());
    if (now >= error) break;
    error = now;
    scale = fitted;
    std::copy(others.begin(), others.end(), codes);
  }
  return error;
}

}  // namespace

GroupedCodes RoundGrouped(const Matrix& weight, const GroupedScheme& scheme) {
  GroupedCodes result = Empty(weight, scheme);
  for (int64_t r = 0; r < result.rows; ++r) {
    for (int64_t g = 0; g < result.groups; ++g) {
      const int64_t begin = g * scheme.group;
      const int64_t n = std::min(result.inputs, begin + scheme.group) - begin;
      const auto at = static_cast<size_t>(r * result.groups + g);
      result.error += RoundGroup(weight.data() + r * result.inputs + begin, n, scheme,
                                 result.codes.data() + r * result.inputs + begin, result.scales[at],
                                 result.zero_points[at]);
    }
  }
  return result;
}

GroupedCodes RoundGrouped(const Matrix& weight, const Matrix& inputs, const GroupedScheme& scheme) {
  GroupedCodes result = Empty(weight, scheme);
  const Matrix damped = Damped(inputs);
  const Matrix inverse = damped.llt().solve(Matrix::Identity(result.inputs, result.inputs));
  const Matrix factor = Matrix(inverse.llt().matrixL()).transpose();
  for (int64_t r = 0; r < result.rows; ++r) {
    const Vector target = weight.row(r);
    Row row(target, damped, scheme, result.codes.data() + r * result.inputs,
            result.scales.data() + r * result.groups,
            result.zero_points.data() + r * result.groups);
    row.RoundInTurn(factor);
    double error = row.Error();
    for (int turn = 0; turn < scheme.turns; ++turn) {
      row.FitScales();
      const bool moved = row.FitZeroPoints();
      if (!row.FitCodes() && !moved) break;
      const double now = row.Error();
      if (now > error * (1 - 1e-4)) break;
      error = now;
    }
    row.FitScales();
    result.error += row.Error();
  }
  return result;
}

Matrix NumbersOf(const GroupedCodes& codes, const GroupedScheme& scheme) {
  const CodeRange range = CodeRange::Of(scheme);
  Matrix numbers(codes.rows, codes.inputs);
  for (int64_t r = 0; r < codes.rows; ++r) {
    for (int64_t k = 0; k < codes.inputs; ++k) {
      const auto g = static_cast<size_t>(r * codes.groups + k / scheme.group);
      const int code = codes.codes[static_cast<size_t>(r * codes.inputs + k)];
      numbers(r, k) =
          static_cast<float>(range.LevelOf(code, codes.zero_points[g])) * codes.scales[g];
    }
  }
  return numbers;
}

}  // namespace tessera::compression
