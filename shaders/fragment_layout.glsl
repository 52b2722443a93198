// How a subgroup of 32 holds a 16 x 16 matrix on the devices whose attention runs in registers: eight elements an
// invocation, the first four of one row, the others of the row eight further down; a row lies in four neighbouring
// invocations. Sums and left factors are laid out alike, so that weights go from one to the other element by element.
#define FRAGMENT_ROW(lane, element) ((lane) / 4 + (element) / 4 * 8)
#define FRAGMENT_COLUMN(lane, element) ((lane) % 4 * 2 + (element) % 2 + (element) / 2 % 2 * 8)

// The largest and the sum of what the invocations of a row hold.
float rowMax(float value) {
  value = max(value, subgroupShuffleXor(value, 1));
  return max(value, subgroupShuffleXor(value, 2));
}
float rowSum(float value) {
  value += subgroupShuffleXor(value, 1);
  return value + subgroupShuffleXor(value, 2);
}
