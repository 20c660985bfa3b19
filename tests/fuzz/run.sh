#!/usr/bin/env bash
# Fuzzes every reader for the given number of seconds (default 300), from inputs that iocast writes and, where they are,
# from real samples beside the project. Exit status 0 when nothing crashed.
#
#   bash tests/fuzz/run.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-300}

bash experiments/setup.sh clang-14 libclang-rt-14-dev
cmake -G Ninja -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address" -DBUILD_TESTING=OFF >build/fuzz.log 2>&1 ||
  { cat build/fuzz.log; exit 1; }
cmake --build build/fuzz --target traces
clang++-14 -std=c++20 -O1 -g -fsanitize=fuzzer,address -I. tests/fuzz/reader_fuzz.cpp build/fuzz/libtraces.a build/fuzz/libsim.a \
  $(pkg-config --libs fmt libarchive libdeflate tbb) $(pkg-config --libs hdf5 2>/dev/null || echo -L/usr/lib/x86_64-linux-gnu/hdf5/serial -lhdf5) -o build/fuzz/reader_fuzz

# First inputs: a format byte, then the head of a file. 255 leaves the format to be recognised.
inputs=build/fuzz/inputs
mkdir -p "$inputs"
i=0
add() { i=$((i + 1)); { printf '\377'; head -c 3000 "$1"; } >"$inputs/seed-$i"; }
for file in traces/samples/workstation.* ../shared/samples/*/* ../shared/samples/*/*/*; do
  if [ -f "$file" ]; then add "$file"; fi
done
build/fuzz/reader_fuzz -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=3000 -timeout=20 -use_value_profile=1 -print_final_stats=1 \
  -artifact_prefix=build/fuzz/ "$inputs" 2>build/fuzz/out.log || { tail -n 40 build/fuzz/out.log; exit 1; }
tail -n 8 build/fuzz/out.log
