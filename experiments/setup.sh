#!/usr/bin/env bash
# Installs what is missing of the packages named as arguments, and of those that a build needs. For Debian 12; as root,
# or with sudo. Says nothing when all is there.
set -euo pipefail

build="g++ cmake ninja-build pkg-config git ca-certificates libboost1.81-dev libboost-program-options1.81-dev libtbb-dev
       libhdf5-dev libfmt-dev nlohmann-json3-dev libarchive-dev libdeflate-dev"
missing=""
for package in $build "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "setup: these packages are missing, and there is no sudo to install them:$missing" >&2; exit 1; }
  as_root=sudo
fi
echo "Installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { $as_root apt-get update -q && $as_root apt-get -o DPkg::Lock::Timeout=600 install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: installing failed" >&2
  exit 1
fi
