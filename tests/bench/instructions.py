"""Counts instructions per access of the commonest policies, and fails where one has moved by more than a tenth.

    instructions.py PROGRAM [--write]

PROGRAM is tests/bench/instructions as built by tests/run.sh (-O2). The counts of the last time are in instructions.csv;
--write puts the present ones there. Needs valgrind.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.csv")
POLICIES = ["lru", "fifo", "clock", "arc", "s3_fifo"]
REFERENCES = 200_000


def instructions(program, policy, rounds):
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", program, policy, str(rounds)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


# The first round fills the cache; the two after it are like each other.
counts = {p: (instructions(sys.argv[1], p, 3) - instructions(sys.argv[1], p, 1)) / (2 * REFERENCES) for p in POLICIES}
if "--write" in sys.argv:
    with open(TABLE, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["policy", "instructions_per_access"], *[[p, f"{n:.1f}"] for p, n in counts.items()]])
    sys.exit(0)

failed = False
for row in csv.DictReader(open(TABLE)):
    before, now = float(row["instructions_per_access"]), counts[row["policy"]]
    moved = abs(now / before - 1) > 0.1
    failed |= moved
    print(f"{'FAILED' if moved else 'ok    '} {row['policy']}: {now:.1f} instructions per access, {before:.1f} in the table")
sys.exit(failed)
