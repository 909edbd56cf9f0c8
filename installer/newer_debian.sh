# Sourced after setup.sh: a folder with the next Debian release, for programs that this one has too old.
# shellcheck shell=bash

newer_release=trixie
newer_debian_binds=() # further folders: PATH, or PATH:PATH-IN-IT
newer_debian=${PITWALL_NEWER_DEBIAN:-${XDG_CACHE_HOME:-$HOME/.cache}/pitwall/debian-$newer_release}

# install_in_newer_debian PACKAGE…: makes the folder (120 MB are downloaded) and adds what is missing in it.
install_in_newer_debian() (
  local name missing=() mirror
  [ "$(id -u)" -eq 0 ] || die "run this as root: a folder with another Debian release is set up and entered by chroot"
  mkdir -p "$(dirname "$newer_debian")"
  exec 9>"$newer_debian.lock"
  flock 9
  if [ ! -f "$newer_debian/etc/debian_version" ]; then
    install_packages debootstrap
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
    say "setting up Debian $newer_release in $newer_debian (about 120 MB are downloaded)"
    rm -rf "$newer_debian.part"
    debootstrap --variant=minbase "$newer_release" "$newer_debian.part" "$mirror" >"$newer_debian.log" 2>&1 ||
      die "debootstrap failed: see $newer_debian.log"
    mv "$newer_debian.part" "$newer_debian"
  fi
  for name in "$@"; do
    chroot "$newer_debian" dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  in_newer_debian apt-get update -qq >&2 || say "apt-get update failed; trying with the lists there are"
  say "installing in Debian $newer_release: ${missing[*]}"
  in_newer_debian env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" \
    9>&- >>"$newer_debian.log" 2>&1 || die "apt-get could not install ${missing[*]}: see $newer_debian.log"
  in_newer_debian apt-get clean
)

# in_newer_debian COMMAND…: runs it in the folder, with this machine's processes, devices, name service, /tmp and
# the checkout at their own paths. The mounts are the command's alone and go with it. Windows of an X server
# outside are reached by DISPLAY as usual.
in_newer_debian() {
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -c '
    set -e
    outside=$1 root=$2 here=$3; shift 3
    for place in /proc /dev /sys /tmp "$root"; do
      mkdir -p "$outside$place"; mount --rbind "$place" "$outside$place"
    done
    for file in /etc/resolv.conf /etc/hosts; do
      [ -e "$file" ] && { touch "$outside$file"; mount --bind "$file" "$outside$file"; }
    done
    while [ "$1" != -- ]; do
      mkdir -p "${1%%:*}" "$outside${1##*:}"; mount --rbind "${1%%:*}" "$outside${1##*:}"; shift
    done
    shift
    [ -d "$outside$here" ] || here=/
    exec chroot "$outside" env --chdir="$here" "$@"
  ' newer-debian "$newer_debian" "$root" "$PWD" "${newer_debian_binds[@]}" -- "$@"
}
