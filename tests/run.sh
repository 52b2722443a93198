#!/usr/bin/env bash
# Installs, builds and runs all tests, on lavapipe where there is no GPU.
#   bash tests/run.sh [CTEST ARGS…]     for example: bash tests/run.sh -L unit
# The fuzz targets have a command of their own: tests/fuzz/run.sh.
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
