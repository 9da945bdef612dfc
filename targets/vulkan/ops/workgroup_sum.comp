shared float parts[ROWS][PARTS];

void Compute() {
  const int row = int(gl_LocalInvocationID.x) / PARTS, part = int(gl_LocalInvocationID.x) % PARTS;
  float sum = 0.0;
  for (int k = part; k < K; k += PARTS) sum += Load_x(tile[0] + row, k);
  parts[row][part] = sum;
  barrier();
  for (int others = PARTS / 2; others > 0; others /= 2) {
    if (part < others) parts[row][part] += parts[row][part + others];
    barrier();
  }
  if (part == 0) Store_y(tile[0] + row, parts[row][0]);
}
