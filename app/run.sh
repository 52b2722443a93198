#!/usr/bin/env bash
# Builds and starts Orthros.
#   bash app/run.sh [ARGS…]          the window (without a display: the same demonstration in the terminal)
#   bash app/run.sh --cli ARGS…      orthros-cli ARGS…
#   bash app/run.sh --build-only     installs, fetches and builds, then stops
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/app/setup.sh"

# shellcheck disable=SC2086
ensure_packages $build_packages $desktop_packages
ensure_model

if [ "${1:-}" = --cli ]; then
  shift
  build_preset release orthros-cli
  exec "$root/build/release/bin/orthros-cli" "$@"
fi

build_preset release orthros orthros-cli
[ "${1:-}" = --build-only ] && exit 0

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ $# -gt 0 ]; then
  exec "$root/build/release/bin/orthros" "$@"
fi

say "No display: playing the demonstration in the terminal."
cli=$root/build/release/bin/orthros-cli
document=$root/resources/ui/harbour-handbook.txt
question="What is the access code for the harbour master?"
say "Under the orthros plan, the converted model:"
"$cli" run default --document "$document" --prompt "$question" --max-tokens 32 --temperature 0 --progress
say "Under the vanilla plan, the model as it was:"
"$cli" run default --no-adapter --plan vanilla --document "$document" --prompt "$question" --max-tokens 32 --temperature 0 --progress
