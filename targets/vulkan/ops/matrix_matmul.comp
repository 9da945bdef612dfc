// TILE_K terms of the sums at a time: rows of `a` and columns of `b` are brought into shared memory,
// the next ones while those that are there are multiplied. Rows of a tile are 8 entries longer than
// what they hold, so that entries below one another lie in other banks.
const int ROW_A = TILE_K + 8, ROW_B = TILE_N + 8, COLUMNS = TILE_M * ROW_A;
const int COUNT_A = TILE_M * TILE_K, COUNT_B = TILE_K * TILE_N;
const int EACH_A = (COUNT_A + WORKGROUP - 1) / WORKGROUP;
const int EACH_B = (COUNT_B + WORKGROUP - 1) / WORKGROUP;
const int DOWN = EACH_M / 16, ALONG = EACH_N / 16, ACROSS = TILE_N / EACH_N;

float16_t next_a[EACH_A], next_b[EACH_B];

void Bring(int first) {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_A)
      next_a[i] = float16_t(Load_a(tile[0], tile[1] + e / TILE_K, first + e % TILE_K));
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_B)
      next_b[i] = float16_t(Load_b(tile[0], first + e / TILE_N, tile[2] + e % TILE_N));
  }
}

void Share() {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_A) tiles[e / TILE_K * ROW_A + e % TILE_K] = next_a[i];
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_B) tiles[COLUMNS + e / TILE_N * ROW_B + e % TILE_N] = next_b[i];
  }
}

void Compute() {
  const int row = Subgroup() / ACROSS * EACH_M, column = Subgroup() % ACROSS * EACH_N;
  MatrixC c[DOWN][ALONG];
  UNROLL for (int i = 0; i < DOWN; ++i) {
    UNROLL for (int j = 0; j < ALONG; ++j) c[i][j] = Zeros();
  }
  Bring(0);
  for (int first = 0; first < K; first += TILE_K) {
    barrier();
    Share();
    barrier();
    if (first + TILE_K < K) Bring(first + TILE_K);
    UNROLL for (int k = 0; k < TILE_K; k += 16) {
      MatrixA a[DOWN];
      MatrixB b[ALONG];
      UNROLL for (int i = 0; i < DOWN; ++i) a[i] = LoadA((row + i * 16) * ROW_A + k, ROW_A);
      UNROLL for (int j = 0; j < ALONG; ++j) b[j] = LoadB(COLUMNS + k * ROW_B + column + j * 16, ROW_B);
      UNROLL for (int i = 0; i < DOWN; ++i) {
        UNROLL for (int j = 0; j < ALONG; ++j) c[i][j] = MultiplyAdd(a[i], b[j], c[i][j]);
      }
    }
  }
  const int own = Subgroup() * 256;
  UNROLL for (int i = 0; i < DOWN; ++i) {
    UNROLL for (int j = 0; j < ALONG; ++j) {
      barrier();
      StoreC(own, c[i][j]);
      barrier();
      UNROLL for (int e = 0; e < 256; e += 32) {
        const int at = e + Lane();
        Store_c(tile[0], tile[1] + row + i * 16 + at / 16, tile[2] + column + j * 16 + at % 16, sums[own + at]);
      }
    }
  }
}
