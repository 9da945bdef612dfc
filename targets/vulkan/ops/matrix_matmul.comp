// TILE_K terms of the sums at a time: rows of `a` and columns of `b` are brought into shared memory,
// the next ones while those that are there are multiplied. A tile lies as its operand does, and its
// lines are 8 entries longer than what they hold, so that neighbours across lie in other banks.
const bool DOWN_A = BESIDE_a == 1, DOWN_B = BESIDE_b == 1;
const int LINE_A = DOWN_A ? TILE_M : TILE_K, LINE_B = DOWN_B ? TILE_K : TILE_N;
const int COUNT_A = TILE_M * TILE_K, COUNT_B = TILE_K * TILE_N;
const int BEGIN_B = COUNT_A / LINE_A * (LINE_A + 8);
const int EACH_A = (COUNT_A + WORKGROUP - 1) / WORKGROUP;
const int EACH_B = (COUNT_B + WORKGROUP - 1) / WORKGROUP;
const int DOWN = EACH_M / 16, ALONG = EACH_N / 16, ACROSS = TILE_N / EACH_N;

float16_t next_a[EACH_A], next_b[EACH_B];

void Bring(int first) {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP, line = e / LINE_A, at = e % LINE_A;
    next_a[i] = float16_t(
        Load_a(tile[0], tile[1] + (DOWN_A ? at : line), first + (DOWN_A ? line : at)));
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP, line = e / LINE_B, at = e % LINE_B;
    next_b[i] = float16_t(
        Load_b(tile[0], first + (DOWN_B ? at : line), tile[2] + (DOWN_B ? line : at)));
  }
}

void Share() {
  const int id = int(gl_LocalInvocationID.x);
  UNROLL for (int i = 0; i < EACH_A; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_A) tiles[e / LINE_A * (LINE_A + 8) + e % LINE_A] = next_a[i];
  }
  UNROLL for (int i = 0; i < EACH_B; ++i) {
    const int e = id + i * WORKGROUP;
    if (e < COUNT_B) tiles[BEGIN_B + e / LINE_B * (LINE_B + 8) + e % LINE_B] = next_b[i];
  }
}

// Where the entry of a row and column lies.
int PlaceOfA(int m, int k) { return DOWN_A ? k * (LINE_A + 8) + m : m * (LINE_A + 8) + k; }
int PlaceOfB(int k, int n) {
  return BEGIN_B + (DOWN_B ? n * (LINE_B + 8) + k : k * (LINE_B + 8) + n);
}

void Compute() {
  const int row = Subgroup() / ACROSS * EACH_M, column = Subgroup() % ACROSS * EACH_N;
  MatrixC c[DOWN][ALONG];
  UNROLL for (int i = 0; i < DOWN; ++i) {
    UNROLL for (int j = 0; j < ALONG; ++j) c[i][j] = Zeros();
  }
  if (K > 0) Bring(0);
  for (int first = 0; first < K; first += TILE_K) {
    barrier();
    Share();
    barrier();
    if (first + TILE_K < K) Bring(first + TILE_K);
    UNROLL for (int k = 0; k < TILE_K; k += 16) {
      MatrixA a[DOWN];
      MatrixB b[ALONG];
      UNROLL for (int i = 0; i < DOWN; ++i)
        a[i] = LoadA(PlaceOfA(row + i * 16, k), LINE_A + 8, (DOWN_A ? 1 : 0));
      UNROLL for (int j = 0; j < ALONG; ++j)
        b[j] = LoadB(PlaceOfB(k, column + j * 16), LINE_B + 8, (DOWN_B ? 1 : 0));
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
        Store_c(tile[0], tile[1] + row + i * 16 + at / 16, tile[2] + column + j * 16 + at % 16,
                sums[own + at]);
      }
    }
  }
}
