# Sourced by app/run.sh and tests/run.sh: installs what a build needs and fetches the default model.
# Needs: root=<the project's folder>.

build_packages="g++ cmake ninja-build pkg-config glslang-tools spirv-tools libvulkan-dev mesa-vulkan-drivers
  libspdlog-dev nlohmann-json3-dev libcli11-dev libexpected-dev libpcre2-dev libicu-dev libuchardet-dev
  libmd4c-dev python3 python3-pip ca-certificates fonts-inter"
# Debian 12 and Ubuntu 24.04 name Qt's modules otherwise than Debian 13, and keep OpenGL's (which Charts needs) apart.
desktop_packages="qt6-base-dev libqt6opengl6-dev? libgl-dev qt6-charts-dev|libqt6charts6-dev qt6-svg-dev|libqt6svg6-dev"

say() { printf '%s\n' "$*" >&2; }

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# The packages of "$@" that are missing; "a|b" means the first that the system knows, "a?" one that it may not know.
missing_packages() {
  local wanted name
  for wanted in "$@"; do
    local found=
    if [ "${wanted%\?}" != "$wanted" ]; then
      wanted=${wanted%\?}
      apt-cache show "$wanted" >/dev/null 2>&1 || continue
    fi
    for name in ${wanted//|/ }; do
      if is_installed "$name"; then found=installed; break; fi
    done
    [ -n "$found" ] && continue
    for name in ${wanted//|/ }; do
      if apt-cache show "$name" >/dev/null 2>&1; then found=$name; break; fi
    done
    printf '%s\n' "${found:-${wanted%%|*}}"
  done
}

# Installs what is missing through apt, after saying so; elsewhere it prints the list and stops.
ensure_packages() {
  if ! command -v apt-get >/dev/null; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && return
    say "This system has no apt. Please install the equivalents of these Debian packages and start again:"
    say "  $*"
    exit 1
  fi
  local missing sudo=
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  [ "$(id -u)" = 0 ] || sudo=sudo
  say "Installing through apt: $(echo $missing)"
  $sudo apt-get update -qq
  missing=$(missing_packages "$@")  # the lists may have been empty before
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# Fetches the default model's base file into the user's cache folder and checks its hash; see resources/models.
ensure_model() { python3 "$root/app/fetch_model.py" "$root/resources/models/manifest.json"; }

# The CMake settings, a line each, for a glslang that knows cooperative matrices, where the system's (older than 13) does not.
shader_tool_settings() {
  local version folder=${XDG_CACHE_HOME:-$HOME/.cache}/orthros/shader-tools
  version=$({ glslang --version || glslangValidator --version; } 2>/dev/null | sed -n 's/^Glslang Version: *[0-9]*:\([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge 13 ] && return
  if python3 "$root/app/fetch_shader_tools.py" "$folder"; then
    printf '%s\n' "-DORTHROS_GLSLANG=$folder/bin" "-DORTHROS_SPIRV_TOOLS=$folder/bin" "-DORTHROS_GLSLANG_LIBRARY_PATH=$folder/lib"
  else
    say "Building without cooperative matrices: GPUs run the portable kernels."
  fi
}

# Configures (once) and builds a preset: build_preset PRESET [TARGET...]
build_preset() {
  local preset=$1
  shift
  if [ ! -f "$root/build/$preset/build.ninja" ]; then
    local settings
    mapfile -t settings < <(shader_tool_settings)
    cmake -S "$root" --preset "$preset" "${settings[@]}" >&2
  fi
  if [ $# -gt 0 ]; then set -- --target "$@"; fi
  cmake --build "$root/build/$preset" "$@" >&2
}
