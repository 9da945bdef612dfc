const int STEPS = WIDTH / 16;
// Less than every product that counts: a row whose first products are all -infinity goes on from it.
const float LEAST = -3.402823466e38;

void Compute() {
  const int batch = tile[0], row = tile[1] + int(gl_LocalInvocationID.x) * ROWS;
  float sums[ROWS][STEPS][16], tops[ROWS], totals[ROWS];
  for (int r = 0; r < ROWS; ++r) {
    tops[r] = LEAST;
    totals[r] = 0.0;
    for (int s = 0; s < STEPS; ++s) {
      for (int c = 0; c < 16; ++c) sums[r][s][c] = 0.0;
    }
  }
  if (row >= M) return;
  for (int first = 0; first < N; first += KEYS) {
    float weights[ROWS][KEYS];
    for (int r = 0; r < ROWS; ++r) {
      for (int j = 0; j < KEYS; ++j) weights[r][j] = 0.0;
    }
    for (int d = 0; d < K; ++d) {
      float queries[ROWS], keys[KEYS];
      for (int r = 0; r < ROWS; ++r) queries[r] = Load_q(batch, row + r, d);
      for (int j = 0; j < KEYS; ++j) keys[j] = Load_k(batch, d, first + j);
      for (int r = 0; r < ROWS; ++r) {
        for (int j = 0; j < KEYS; ++j) weights[r][j] = fma(queries[r], keys[j], weights[r][j]);
      }
    }
    for (int r = 0; r < ROWS; ++r) {
      float top = tops[r];
      for (int j = 0; j < KEYS; ++j) {
        weights[r][j] = Made_score(batch, row + r, first + j, weights[r][j]);
        if (first + j < N) top = max(top, weights[r][j]);
      }
      const float before = exp(tops[r] - top);
      float total = totals[r] * before;
      for (int j = 0; j < KEYS; ++j) {
        weights[r][j] = first + j < N ? exp(weights[r][j] - top) : 0.0;
        total += weights[r][j];
      }
      tops[r] = top;
      totals[r] = total;
      for (int s = 0; s < STEPS; ++s) {
        for (int c = 0; c < 16; ++c) sums[r][s][c] *= before;
      }
    }
    for (int j = 0; j < KEYS; ++j) {
      for (int s = 0; s < STEPS; ++s) {
        for (int c = 0; c < 16; ++c) {
          const float value = Load_v(batch, first + j, tile[2] + s * 16 + c);
          for (int r = 0; r < ROWS; ++r)
            sums[r][s][c] = fma(weights[r][j], value, sums[r][s][c]);
        }
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    for (int s = 0; s < STEPS; ++s) {
      for (int c = 0; c < 16; ++c)
        Store_y(batch, row + r, tile[2] + s * 16 + c, sums[r][s][c] / totals[r]);
    }
  }
}
