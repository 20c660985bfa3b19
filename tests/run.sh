#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   bash tests/run.sh          what must always pass
#   bash tests/run.sh --all    and the long checks: sanitizers, data races, fuzzing, benchmarks
#
# Exit status 0 when everything passed.
set -euo pipefail
cd "$(dirname "$0")/.."

bash experiments/setup.sh libgtest-dev libbenchmark-dev python3 python3-h5py valgrind fio blktrace zstd xz-utils bzip2 lz4 gzip
launcher=""
if command -v ccache >/dev/null; then launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"; fi

# build_and_test NAME CMAKE-OPTION...
build_and_test() {
  local folder=build/$1
  shift
  cmake -G Ninja -S . -B "$folder" -DIOCAST_WERROR=ON $launcher "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
  cmake --build "$folder" 2>&1 | { grep -vE '^\[[0-9]+/[0-9]+\] |^ninja: ' || true; }
  ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$(nproc)"
}

mkdir -p build
build_and_test test -DCMAKE_BUILD_TYPE=RelWithDebInfo
[ "${1:-}" = --all ] || exit 0

echo "--- address and undefined-behaviour sanitizers"
build_and_test asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" "-DIOCAST_SANITIZE=address;undefined"
echo "--- data races"
build_and_test tsan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" -DIOCAST_SANITIZE=thread -DIOCAST_PLAIN_THREADS=ON
echo "--- fuzzing"
bash tests/fuzz/run.sh 120
echo "--- benchmarks"
cmake -G Ninja -S . -B build/release -DCMAKE_BUILD_TYPE=Release $launcher >/dev/null
cmake --build build/release --target bench iocast >/dev/null
build/release/tests/bench --benchmark_out=build/bench.json --benchmark_out_format=json
/usr/bin/python3 tests/bench/check.py build/bench.json
