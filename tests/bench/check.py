"""Reads the JSON that the benchmark program writes, and fails where a promise about cost does not hold.

Only ratios taken in one run, memory and miss counts are checked: absolute speeds depend on the machine.
"""
import json
import sys

runs = {b["name"].split("/real_time")[0].split("/iterations")[0]: b for b in json.load(open(sys.argv[1]))["benchmarks"]}
failures = []


def promise(what, holds):
    print(("ok    " if holds else "FAILED") + " " + what)
    if not holds:
        failures.append(what)


one_pass, three = runs["lru/one_pass_20_sizes"]["real_time"], runs["lru/simulated_3_sizes"]["real_time"]
promise(f"LRU at 20 sizes in one pass takes {one_pass:.0f} ms, less than simulating 3 sizes: {three:.0f} ms", one_pass < three)
program = runs["iocast_curve"]
promise(f"peak memory {program['peak_bytes'] / 2**20:.0f} MiB is at most {program['allowed_bytes'] / 2**20:.0f} MiB",
        program["peak_bytes"] <= program["allowed_bytes"])
one, two = runs["grid/threads/1"]["real_time"], runs["grid/threads/2"]["real_time"]
promise(f"two threads are {one / two:.2f} times as fast as one on 10 policies x 10 sizes, at least 1.6", one / two >= 1.6)
# Misses of the leading public simulator on the same references at the same size (s3_fifo: its version of the paper).
for policy, misses in {"lru": 4722072, "fifo": 5309362, "clock": 4583327, "sieve": 3985796, "arc": 3974186,
                       "s3_fifo": 3939537, "lfu": 3985796, "two_queue": 4153120, "belady": 2864365}.items():
    got = int(runs["simulate/" + policy]["misses"])
    promise(f"{policy} misses {got}, the reference {misses}", got == misses)
sys.exit(1 if failures else 0)
