#!/bin/sh
# Installs Wharf from a release, or upgrades it, and checks the SHA-256 of what it downloads:
#
#   curl -fsSL https://example.com/releases/install.sh |
#     sudo WHARF_RELEASE_URL=https://example.com/releases sh
#
# WHARF_RELEASE_URL  the address of the release's folder, which also contains this script
# PREFIX             where to install bin/wharf and share/doc/wharf; /usr/local by default
set -eu

fail() {
  echo "wharf: $1" >&2
  exit 1
}

# Prints the name of the program for this machine.
program_name() {
  [ "$(uname -s)" = Linux ] || fail "there is a program for Linux only, not for $(uname -s)"
  case $(ldd --version 2>&1) in
    *musl*) fail "it needs glibc, and this system has musl: use Debian, Ubuntu, Fedora or the image" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) echo wharf-linux-x64 ;;
    aarch64 | arm64) echo wharf-linux-arm64 ;;
    *) fail "there is a program for x86_64 and aarch64 only, not for $(uname -m)" ;;
  esac
}

# Downloads a file of the release: download NAME FILE.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --connect-timeout 30 -o "$2" "$url/$1" || fail "could not download $url/$1"
  else
    wget -q -t 3 -T 60 -O "$2" "$url/$1" || fail "could not download $url/$1"
  fi
}

# Prints the SHA-256 of a file according to SHA256SUMS.
named_sum() {
  sum=$(awk -v name="$1" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ ${#sum} -eq 64 ] || fail "$url/SHA256SUMS does not list $1"
  echo "$sum"
}

sum_of() { sha256sum "$1" | cut -c 1-64; }

# Downloads a file and verifies its SHA-256: download_checked NAME FILE.
download_checked() {
  expected=$(named_sum "$1")
  download "$1" "$2"
  [ "$(sum_of "$2")" = "$expected" ] ||
    fail "$url/$1 is damaged: its SHA-256 is not the one in SHA256SUMS"
}

# Prints the version of a program, such as 1.2.3, or nothing if the program does not start.
version_of() { "$1" version | sed -n 's/^wharf //p'; }

clean_up() {
  rm -rf "$work"
  if [ -n "$fresh" ]; then rm -rf "$fresh"; fi
}

# Everything is in functions, so that a partially downloaded script does nothing.
main() {
  umask 022
  url=${WHARF_RELEASE_URL:-}
  url=${url%/}
  prefix=${PREFIX:-/usr/local}
  target=$prefix/bin/wharf
  docs=$prefix/share/doc/wharf
  no_place="it can't write to $prefix/bin: run it as root, or set PREFIX"
  [ -n "$url" ] || fail "set WHARF_RELEASE_URL to the address of the release's folder"
  command -v curl >/dev/null || command -v wget >/dev/null || fail "it needs curl or wget"
  command -v sha256sum >/dev/null || fail "it needs sha256sum"
  name=$(program_name)

  fresh=
  work=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 130' HUP INT TERM
  download SHA256SUMS "$work/SHA256SUMS"
  expected=$(named_sum "$name")
  if [ -f "$target" ] && [ "$(sum_of "$target")" = "$expected" ]; then
    echo "Wharf $(version_of "$target") is already installed at $target."
    return
  fi

  download_checked "$name-licenses.txt" "$work/licenses.txt"
  # A rename within the same folder replaces the program atomically, even if /tmp is on another disk.
  mkdir -p "$prefix/bin" 2>/dev/null || fail "$no_place"
  fresh=$(mktemp -d "$prefix/bin/.wharf-XXXXXX" 2>/dev/null) || fail "$no_place"
  download_checked "$name" "$fresh/wharf"
  chmod 755 "$fresh/wharf"
  version=$(version_of "$fresh/wharf")
  [ -n "$version" ] || fail "the program of this release does not start on this machine"

  mkdir -p "$docs"
  cp "$work/licenses.txt" "$docs/licenses.txt"
  before=
  if [ -f "$target" ]; then
    before=$(version_of "$target" 2>/dev/null)
    before=${before:-an unknown version}
    cp -p "$target" "$fresh/previous"
    mv -f "$fresh/previous" "$target.previous"
  fi
  mv -f "$fresh/wharf" "$target"
  tell
}

tell() {
  if [ -n "$before" ]; then
    echo "Replaced Wharf $before with $version at $target."
    echo "The previous program is $target.previous."
  else
    echo "Installed Wharf $version at $target."
  fi
  command -v ffmpeg >/dev/null || echo "ffmpeg is not installed, and Wharf needs ffmpeg. Install it: apt install ffmpeg"
  if command -v systemctl >/dev/null && systemctl --quiet is-active wharf; then
    echo "The service is still running the previous version. Restart it: systemctl restart wharf"
  fi
}

main
