#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for a while, four at once per processor.
#   bash tests/fuzz/run.sh [SECONDS] [TARGET…]     60 seconds and all targets where nothing is said
# Corpora stay in build/fuzz/corpus, inputs that were found to fail in build/fuzz/findings.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/app/setup.sh"
ensure_packages $build_packages clang libclang-rt-dev libgtest-dev

seconds=${1:-60}
shift || true
build_preset fuzz fuzzers
cd "$root/build/fuzz"
if [ $# -eq 0 ]; then
  for program in bin/*_fuzz; do set -- "$@" "$(basename "$program")"; done
fi
mkdir -p findings

fuzz_one() {
  mkdir -p "corpus/$1"
  if "bin/$1" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="findings/$1-" "corpus/$1" >"findings/$1.log" 2>&1; then
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "findings/$1.log") inputs in $seconds s, no finding"
  else
    tail -n 60 "findings/$1.log"
    echo "$1: FAILED; the input is in $root/build/fuzz/findings" >&2
    return 1
  fi
}
export -f fuzz_one
export seconds root
printf '%s\n' "$@" | xargs -P "$((4 * $(nproc)))" -I{} bash -c 'fuzz_one {}'
