// TILE_K terms of the sums at a time: rows of `a` and columns of `b` are brought into shared memory,
// and each invocation multiplies EACH of the ones by EACH of the others, in registers.
const int ACROSS = TILE_N / EACH;  // invocations along a row of the tile

shared float rows[TILE_K][TILE_M];
shared float columns[TILE_K][TILE_N];

void Compute() {
  const int id = int(gl_LocalInvocationID.x);
  const int m = id / ACROSS, n = id % ACROSS;
  float sums[EACH][EACH];
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) sums[i][j] = 0.0;
  }
  for (int first = 0; first < K; first += TILE_K) {
    for (int e = id; e < TILE_M * TILE_K; e += WORKGROUP) {
      const int k = e % TILE_K, row = e / TILE_K;
      rows[k][row] = Load_a(tile[0], tile[1] + row, first + k);
    }
    for (int e = id; e < TILE_K * TILE_N; e += WORKGROUP) {
      const int column = e % TILE_N, k = e / TILE_N;
      columns[k][column] = Load_b(tile[0], first + k, tile[2] + column);
    }
    barrier();
    for (int k = 0; k < TILE_K; ++k) {
      float of_row[EACH], of_column[EACH];
      for (int i = 0; i < EACH; ++i) of_row[i] = rows[k][m * EACH + i];
      for (int j = 0; j < EACH; ++j) of_column[j] = columns[k][n + j * ACROSS];
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) sums[i][j] = fma(of_row[i], of_column[j], sums[i][j]);
      }
    }
    barrier();
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j)
      Store_c(tile[0], tile[1] + m * EACH + i, tile[2] + n + j * ACROSS, sums[i][j]);
  }
}
