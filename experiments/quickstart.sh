#!/usr/bin/env bash
# From a fresh machine to a hit-rate curve: installs what is missing, builds, and runs the main job on the trace that
# ships with the project.
set -euo pipefail
cd "$(dirname "$0")/.."

bash experiments/setup.sh
echo "Building (a few minutes the first time) ..." >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -G Ninja -S . -B build/quickstart -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF && cmake --build build/quickstart; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi
iocast=build/quickstart/iocast
trace=traces/samples/workstation.h5

run() {
  printf '\n$ iocast %s\n' "$*"
  "$iocast" "$@"
}
run describe "$trace"
run curve "$trace" --policy lru,arc,s3_fifo,sieve,belady --capacity log:10

cat <<EOF
Next, with your own IO:
  blktrace -d /dev/sdX -w 3600 -o mydisk        capture an hour of a disk (as root; Debian package blktrace)
  $iocast convert mydisk -o mydisk.h5
  $iocast curve mydisk.h5 --policy lru,arc,s3_fifo --capacity 10GiB,50GiB,100GiB --warmup 20%
  $iocast help                                  all that there is
EOF
