#!/usr/bin/env bash
# Installs, builds and runs the tests, on lavapipe where there is no GPU, and fuzzes every reader for a minute.
#   bash tests/run.sh                 all but the label "thorough"
#   bash tests/run.sh CTEST ARGS…     these only, without fuzzing; for example: bash tests/run.sh -L thorough
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/app/setup.sh"

test_packages="libgtest-dev vulkan-validationlayers xvfb python3-jinja2 libarchive-dev xz-utils"
# shellcheck disable=SC2086
ensure_packages $build_packages $desktop_packages $test_packages
ensure_model
build_preset ci
run_tests() { ctest --test-dir "$root/build/ci" --output-on-failure -j "$(nproc)" "$@"; }
if [ $# -gt 0 ]; then
  run_tests "$@"
else
  run_tests -LE thorough
  bash "$root/tests/fuzz/run.sh"
fi
