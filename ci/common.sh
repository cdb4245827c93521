# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of this folder share. Sourced by bash; the caller has set -euo pipefail.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${STREAMCTS_JOBS:-$(nproc)}
program=build/release/bin/streamcts
reference=build/release/lib/streamcts/reference/libcuda.so.1

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# Installs what ci/apt-packages.txt names and this machine lacks. Where that is not allowed, says
# exactly what to install.
install_missing() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null && command -v c++ >/dev/null ||
      die "this system has no apt; install the packages of ci/apt-packages.txt under its own names"
  else
    while read -r package; do
      dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing+=("$package")
    done < ci/apt-packages.txt
  fi
  if ((${#missing[@]})); then
    local as_root=()
    if ((EUID != 0)); then
      sudo -n true 2>/dev/null || die "packages are missing; run: sudo apt-get install ${missing[*]}"
      as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
      "${missing[@]}" >/dev/null ||
      die "apt-get failed; run it by hand: apt-get install ${missing[*]}"
  fi
  PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc >/dev/null ||
    die "nvcc is missing; install the CUDA Toolkit 13 or put its bin folder on the PATH"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  say "building $preset"
  cmake --preset "$preset" >"build/configure-$preset.log" 2>&1 ||
    { cat "build/configure-$preset.log" >&2; die "configuring $preset failed"; }
  cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"} >"build/build-$preset.log" 2>&1 ||
    { grep -E 'error|FAILED' -A 5 "build/build-$preset.log" | head -60 >&2
      die "building $preset failed; all of it is in build/build-$preset.log"; }
}

# The ids of the reference driver's legal variants.
variants() { sed -nE 's/.*variant_description\{variant::[a-z_]+, "([a-z_]+)".*/\1/p' harness/reference/variants.cpp; }
