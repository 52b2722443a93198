#!/usr/bin/env bash
# Installs, builds and runs all tests, on lavapipe where there is no GPU, and every fuzz target for a minute.
#   bash tests/run.sh                 all of that
#   bash tests/run.sh CTEST ARGS…     some tests, no fuzzing; for example: bash tests/run.sh -L unit
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/app/setup.sh"

test_packages="libgtest-dev vulkan-validationlayers xvfb python3-jinja2 libarchive-dev xz-utils"
# shellcheck disable=SC2086
ensure_packages $build_packages $desktop_packages $test_packages
ensure_model
build_preset ci
cd "$root/build/ci"
ctest --output-on-failure "$@"
if [ $# -eq 0 ]; then bash "$root/tests/fuzz/run.sh"; fi
