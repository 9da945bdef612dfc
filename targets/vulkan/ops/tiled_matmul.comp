// TILE_K terms of the sums at a time: rows of `a` and columns of `b` are brought into shared memory,
// the next ones while those that are there are multiplied, and each invocation multiplies EACH of
// the ones by EACH of the others, in registers.
const int ACROSS = TILE_N / EACH;  // invocations along a row of the tile
const int COUNT_A = TILE_M * TILE_K, COUNT_B = TILE_K * TILE_N;
const int EACH_A = (COUNT_A + WORKGROUP - 1) / WORKGROUP;
const int EACH_B = (COUNT_B + WORKGROUP - 1) / WORKGROUP;
const bool DOWN_A = BESIDE_a == 1, DOWN_B = BESIDE_b == 1;

shared float rows[TILE_K][TILE_M];
shared float columns[TILE_K][TILE_N];

float next_a[EACH_A], next_b[EACH_B];

// Of the entry that is number `e` in the order of memory.
int RowOf(int e) { return DOWN_A ? e % TILE_M : e / TILE_K; }
int TermOfRow(int e) { return DOWN_A ? e / TILE_M : e % TILE_K; }
int ColumnOf(int e) { return DOWN_B ? e / TILE_K : e % TILE_N; }
int TermOfColumn(int e) { return DOWN_B ? e % TILE_K : e / TILE_N; }

void Bring(int first) {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP;
    next_a[i] = Load_a(tile[0], tile[1] + RowOf(e), first + TermOfRow(e));
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP;
    next_b[i] = Load_b(tile[0], first + TermOfColumn(e), tile[2] + ColumnOf(e));
  }
}

void Share() {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_A) rows[TermOfRow(e)][RowOf(e)] = next_a[i];
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_B) columns[TermOfColumn(e)][ColumnOf(e)] = next_b[i];
  }
}

void Compute() {
  const int id = int(gl_LocalInvocationID.x);
  const int m = id / ACROSS, n = id % ACROSS;
  float sums[EACH][EACH];
  UNROLL for (int i = 0; i < EACH; ++i) {
    UNROLL for (int j = 0; j < EACH; ++j) sums[i][j] = 0.0;
  }
  // One tile is multiplied while the next one is on its way.
  for (int first = 0; first < K + TILE_K; first += TILE_K) {
    if (first < K) Bring(first);
    for (int k = 0; first > 0 && k < TILE_K; ++k) {
      float of_row[EACH], of_column[EACH];
      UNROLL for (int i = 0; i < EACH; ++i) of_row[i] = rows[k][m * EACH + i];
      UNROLL for (int j = 0; j < EACH; ++j) of_column[j] = columns[k][n + j * ACROSS];
      UNROLL for (int i = 0; i < EACH; ++i) {
        UNROLL for (int j = 0; j < EACH; ++j)
          sums[i][j] = fma(of_row[i], of_column[j], sums[i][j]);
      }
    }
    barrier();
    if (first < K) Share();
    barrier();
  }
  UNROLL for (int i = 0; i < EACH; ++i) {
    UNROLL for (int j = 0; j < EACH; ++j)
      Store_c(tile[0], tile[1] + m * EACH + i, tile[2] + n + j * ACROSS, sums[i][j]);
  }
}
