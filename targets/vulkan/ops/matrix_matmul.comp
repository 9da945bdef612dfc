// TILE_K terms of the sums at a time: rows of `a` and columns of `b` are brought into shared memory,
// AT_ONCE entries by each invocation while none has come yet. More of them spelled out would take
// drivers minutes to compile. A tile lies as its operand does, and its lines are 8 entries longer
// than what they hold, so that neighbours across lie in other banks.
const bool DOWN_A = BESIDE_a == 1, DOWN_B = BESIDE_b == 1;
const int LINE_A = DOWN_A ? TILE_M : TILE_K, LINE_B = DOWN_B ? TILE_K : TILE_N;
const int COUNT_A = TILE_M * TILE_K, COUNT_B = TILE_K * TILE_N;
const int BEGIN_B = COUNT_A / LINE_A * (LINE_A + 8);
const int DOWN = EACH_M / 16, ALONG = EACH_N / 16, ACROSS = TILE_N / EACH_N;
const int AT_ONCE = 8;

void ShareA(int first) {
  for (int begin = int(gl_LocalInvocationID.x); begin < COUNT_A; begin += AT_ONCE * WORKGROUP) {
    float16_t entries[AT_ONCE];
    UNROLL for (int i = 0; i < AT_ONCE; ++i) {
      const int e = begin + i * WORKGROUP, line = e / LINE_A, at = e % LINE_A;
      entries[i] = float16_t(
          Load_a(tile[0], tile[1] + (DOWN_A ? at : line), first + (DOWN_A ? line : at)));
    }
    UNROLL for (int i = 0; i < AT_ONCE; ++i) {
      const int e = begin + i * WORKGROUP;
      if (e < COUNT_A) tiles[e / LINE_A * (LINE_A + 8) + e % LINE_A] = entries[i];
    }
  }
}

void ShareB(int first) {
  for (int begin = int(gl_LocalInvocationID.x); begin < COUNT_B; begin += AT_ONCE * WORKGROUP) {
    float16_t entries[AT_ONCE];
    UNROLL for (int i = 0; i < AT_ONCE; ++i) {
      const int e = begin + i * WORKGROUP, line = e / LINE_B, at = e % LINE_B;
      entries[i] = float16_t(
          Load_b(tile[0], first + (DOWN_B ? at : line), tile[2] + (DOWN_B ? line : at)));
    }
    UNROLL for (int i = 0; i < AT_ONCE; ++i) {
      const int e = begin + i * WORKGROUP;
      if (e < COUNT_B) tiles[BEGIN_B + e / LINE_B * (LINE_B + 8) + e % LINE_B] = entries[i];
    }
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
  for (int first = 0; first < K; first += TILE_K) {
    barrier();
    ShareA(first);
    ShareB(first);
    barrier();
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
      for (int e = Lane(); e < 256; e += 32)
        Store_c(tile[0], tile[1] + row + i * 16 + e / 16, tile[2] + column + j * 16 + e % 16,
                sums[own + e]);
    }
  }
}
