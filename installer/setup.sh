# Sourced by run, test and extra: system packages, then .venv, both only where something is missing.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv="$root/.venv"

say() { printf 'pitwall: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Each step that took a while is told with its seconds; the console goes on counting from the same moment.
export PITWALL_BEGAN=${PITWALL_BEGAN:-$EPOCHREALTIME}
step_began=$EPOCHREALTIME
took() {
  local now=$EPOCHREALTIME
  say "$(awk -v a="$step_began" -v b="$now" -v c="$PITWALL_BEGAN" 'BEGIN { printf "%6.1f s  (%.1f s in all)", b - a, b - c }')  $*"
  step_began=$now
}

# What Qt, capture and the bundled games need; then a virtual screen; then what the tests drive it with.
packages_run=(
  python3-venv libegl1 libgl1 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon-x11-0
  libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
  libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 fonts-dejavu-core fonts-inter
)
packages_compiler=(gcc g++ cmake make libc6-dev linux-libc-dev)
packages_games=(chocolate-doom freedoom graphviz)
packages_screen=(xvfb openbox)
packages_test=(xdotool wmctrl imagemagick inform6-compiler inform6-library)
packages_browser=(chromium) # games that are web pages
packages_foreign=(lbreakout2 xgalaga gnome-mines bugsquish xbill madbomber xjump snake4 vectoroids dbus-daemon) # bench foreign, learning

missing_packages() {
  local name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$name"
  done
}

install_packages() {
  command -v dpkg-query >/dev/null || { say "no apt here: install the packages listed in installer/setup.sh by hand"; return; }
  local missing sudo=()
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these system packages are missing and there is no sudo: $missing"
    sudo=(sudo)
  fi
  say "installing system packages${sudo[*]:+ with sudo}: $missing"
  "${sudo[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists there are"
  # shellcheck disable=SC2086
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2 ||
    die "apt-get could not install: $missing"
  took "system packages"
}

find_python() {
  local candidate
  for candidate in python3.11 python3.12 python3.13 python3; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "Python 3.11, 3.12 or 3.13 is needed: sudo apt-get install python3.11 python3.11-venv python3.11-dev"
}

# make_environment: .venv, empty.
make_environment() {
  [ -x "$venv/bin/python" ] && return 0
  local python
  python=$(find_python)
  say "making .venv with $("$python" --version)"
  "$python" -m venv "$venv" || die "python3-venv is missing: sudo apt-get install python3-venv"
  took "an empty .venv"
}

pip_install() { "$venv/bin/python" -m pip --disable-pip-version-check -qq install --no-warn-conflicts -c "$root/installer/constraints.txt" "$@"; }

# wanted_stamp: changes where anything changes that is installed.
wanted_stamp() { cat "$root/pyproject.toml" "$root"/installer/*.{txt,py} "$root/app/pitwall/store/components.py" | sha256sum; }

# install_base: what a bundled game needs to be played. The components follow: pitwall components install.
install_base() {
  local stamp="$venv/.pitwall-base" want base project
  want=$(wanted_stamp)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && return 0
  make_environment
  say "installing what a first game needs into .venv (some 260 MB the first time)"
  "$venv/bin/python" "$root/installer/base.py" >"$venv/base.txt"
  # Side by side: while the wheels are waited for, the project's own package is built.
  pip_install --no-compile -r "$venv/base.txt" & base=$!
  pip_install --no-deps --no-compile -e "$root" & project=$!
  wait "$base" || die "pip could not install what a first game needs"
  wait "$project" || die "pip could not install the project"
  took "packages of a first game"
  printf '%s' "$want" >"$stamp"
}

# install_everything EXTRAS: the project with extras and every component, pinned by name and version.
install_everything() {
  local extras=$1 stamp want
  stamp="$venv/.pitwall-$extras"
  want=$(wanted_stamp)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && return 0
  make_environment
  compile_llama & local llama=$!
  install_base
  # shellcheck disable=SC2046
  "$venv/bin/pitwall" components install $(other_components) || say "not every component could be installed; each says so itself"
  took "components without local models"
  if [ -n "$extras" ]; then
    "$venv/bin/python" "$root/installer/base.py" "$extras" >"$venv/extras.txt"
    pip_install -r "$venv/extras.txt" || die "pip could not install the packages of $extras"
    took "packages of $extras"
  fi
  if wait "$llama"; then
    pip_install --no-deps "$venv"/wheels/llama_cpp_python-*.whl
    took "llama.cpp, compiled beside the downloads"
  fi
  "$venv/bin/pitwall" components install || say "not every component could be installed; what needs it says so"
  took "components"
  pip_install -e "$root${extras:+[$extras]}" || die "pip could not install the project with ${extras:-no extras}"
  case ",$extras," in
    *,gym,*) # they ask for pygame and selenium too
      pip_install --no-deps minigrid miniwob || die "pip could not install minigrid and miniwob" ;;
  esac
  took "the project with ${extras:-no extras}"
  # Base packages come without bytecode. Where Python may write none, each process would compile them anew.
  "$venv/bin/python" -m compileall -qq -j 0 "$venv/lib" || true # some packages keep templates that are no Python
  took "bytecode of the packages"
  printf '%s' "$want" >"$stamp"
}

# compile_llama: a wheel of llama.cpp in .venv/wheels, compiled with all cores at normal priority, because
# nothing is played meanwhile. The reasons for its options:
# `_compiling` in app/pitwall/cli/components/installation.py.
compile_llama() {
  "$venv/bin/python" -c 'import llama_cpp' 2>/dev/null && return 1
  # With a CUDA compiler the component compiles it, for the card that is there.
  command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null && return 1
  rm -rf "$venv/wheels"
  local options="-DGGML_NATIVE=OFF '-DCMAKE_PROJECT_llama.cpp_INCLUDE=$root/installer/llama_libraries.cmake'"
  CMAKE_ARGS="${CMAKE_ARGS:-$options}" CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" \
    "$venv/bin/python" -m pip --disable-pip-version-check -qq wheel --no-deps --prefer-binary \
    -c "$root/installer/constraints.txt" -w "$venv/wheels" llama-cpp-python
}

# other_components: the keys of all components but the local models and those on demand.
other_components() {
  "$venv/bin/python" -c 'from pitwall.store.components import COMPONENTS; print(*(c.key for c in COMPONENTS if c.key != "models" and not c.on_demand))'
}

# compile_project: its bytecode, so that none of its processes compiles it anew where Python may not write any.
compile_project() {
  "$venv/bin/python" -m compileall -q "$root/app" || say "some of the bytecode could not be written"
}
