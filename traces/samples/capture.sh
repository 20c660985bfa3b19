#!/usr/bin/env bash
# Captures the block trace of a small workstation: a database, git, builds, random and sequential IO
# on ext4 on a loop device, by the kernel's blk tracer (no relay: works where blktrace(8) is locked out).
#
#   sudo ./capture.sh NAME.blktrace        writes NAME.blktrace and NAME.blktrace.zst
#
# Needs root, CONFIG_BLK_DEV_IO_TRACE, memory control groups, 1 GB free in $TMPDIR, and these programs:
# python3 losetup mkfs.ext4 runuser gcc make git fio zstd, and PostgreSQL 14 or later with pgbench.
# It drops the page cache of the whole machine before each phase.
set -euo pipefail

[ $# = 1 ] || { echo "usage: $0 NAME.blktrace" >&2; exit 2; }
PATH=$(printf '%s:' /usr/lib/postgresql/*/bin)$PATH:/usr/sbin:/sbin
for p in python3 losetup mkfs.ext4 runuser gcc make git fio zstd initdb pg_ctl pgbench; do
    command -v "$p" > /dev/null || { echo "$0: $p is needed" >&2; exit 1; }
done
out=$(realpath "$1")
work=$(mktemp -d); chmod 711 "$work"; mkdir "$work/mnt"; cd "$work/mnt"
db=$work/mnt/db repo=$work/mnt/project scratch=$work/mnt/scratch
T=/sys/kernel/tracing loop='' group='' mounted='' queue='' reader=''

cleanup() {
    set +e; cd /
    if [ "$queue" ]; then
        echo 0 > $T/tracing_on; echo 0 > "$queue/enable"
        [ "$reader" ] && { kill "$reader"; wait "$reader"; } 2> /dev/null    # an open pipe holds the tracer
        echo nop > $T/current_tracer; echo nobin > $T/trace_options; echo context-info > $T/trace_options
        echo 128 > $T/saved_cmdlines_size; echo 1408 > $T/buffer_size_kb
        echo local > $T/trace_clock; echo 1 > $T/tracing_on
    fi
    [ "$mounted" ] && umount $T
    [ -e "$db/postmaster.pid" ] && runuser -u nobody -- pg_ctl -D "$db" -m immediate -w stop > /dev/null
    mountpoint -q "$work/mnt" && umount "$work/mnt"
    [ "$loop" ] && losetup -d "$loop"
    [ "$group" ] && rmdir "$group"
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

if [ ! -e $T/trace ]; then mount -t tracefs nodev $T; mounted=1; fi
[ "$(cat $T/current_tracer)" = nop ] || { echo "$0: the tracer is in use" >&2; exit 1; }

# The device: a file, read and written past the page cache of the file system below.
truncate -s 768M "$work/disk"
loop=$(losetup --find --show --direct-io=on "$work/disk")
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$loop"
mount -o discard "$loop" "$work/mnt"; cd "$work/mnt"

# A database, whose server and page cache get little memory once it is filled (control groups 1 or 2).
g=/sys/fs/cgroup limit=memory.max
if [ -e $g/memory/memory.limit_in_bytes ]; then g=$g/memory limit=memory.limit_in_bytes; fi
mkdir "$g/trace.$$"; group=$g/trace.$$
mkdir "$db"; chown nobody "$db"
runuser -u nobody -- initdb -D "$db" -U bench -A trust --wal-segsize=1 > /dev/null
(echo "$BASHPID" > "$group/cgroup.procs"
    exec runuser -u nobody -- pg_ctl -D "$db" -l "$db/log" -w start > /dev/null -o "-k $db -c listen_addresses='' \
        -c shared_buffers=8MB -c min_wal_size=4MB -c max_wal_size=12MB -c checkpoint_timeout=30s -c autovacuum=off")
bench() {
    runuser -u nobody -- pgbench -h "$db" -U bench "$@" postgres > /dev/null 2> "$work/errors" ||
        { cat "$work/errors" >&2; return 1; }
}
bench -i -s 5
for s in 'SELECT abalance FROM pgbench_accounts' 'UPDATE pgbench_accounts SET abalance = abalance + 1'; do
    printf '%s\n' '\set r random_zipfian(1, 500000, 1.05)' '\set aid permute(:r, 500000) + 1' \
        "$s WHERE aid = :aid;" > "$work/${s%% *}"
done

# A git repository: a C project with documents, and two topics that differ in a third of the files.
write() { python3 - "$@" <<'END'
import os, random, sys
seed, share, folder = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
rng, H, U = random.Random(seed), range(60), range(90)
def put(name, lines):
    if rng.random() < share:
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w") as file: file.write("\n".join(lines) + "\n")
for h in H:
    put(f"h{h}.h", ["#pragma once"] + [f"struct h{h}_{i} {{ int a, b[{rng.randint(1, 9)}]; }};\nstatic inline int "
        f"h{h}_f{i}(struct h{h}_{i} *x) {{ return x->a * {rng.randint(2, 999)} + x->b[0]; }}" for i in range(150)])
for u in U:
    put(f"u{u}.c", [f'#include "h{h}.h"' for h in rng.sample(H, 20)] + [f"int u{u}_f{i}(int n) {{ int s = 0;\n"
        f"  for (int k = 0; k < n; ++k) s += n ^ (k * {rng.randint(2, 9999)});\n  return s; }}" for i in range(150)])
for d in range(800):
    put(f"doc{d % 25}/d{d}.txt", [" ".join(f"{rng.getrandbits(40):x}" for _ in range(8))
                                  for _ in range(rng.randint(10, 300))])
put("main.c", [f"int u{u}_f0(int);" for u in U] +
    ["int main(void) { return " + "+".join(f"u{u}_f0(1)" for u in U) + "; }"])
put("Makefile", ["O := $(patsubst %.c,%.o,$(wildcard *.c))", "program: $(O)", "\t$(CC) -o $@ $(O)",
                 "%.o: %.c", "\t$(CC) -g -c -o $@ $<", "clean:", "\trm -f program *.o"])
END
}
git() { command git -C "$repo" -c user.name=trace -c user.email=trace@example.invalid -c gc.auto=0 "$@"; }
command git init -q -b main "$repo"; echo '*.o' > "$repo/.gitignore"
write 1 1 "$repo"; git add -A; git commit -q -m all
for n in 1 2; do
    git checkout -q -b topic-$n main; write $((10 + n)) 0.33 "$repo"; git add -A; git commit -q -m topic-$n
done
git checkout -q main; git repack -q -a -d
fio --name=fill --filename="$scratch" --size=48M --rw=write --bs=1M --direct=1 --output=/dev/null

# The tracer: classic blk_io_trace records, merged over CPUs, through trace_pipe, on CLOCK_MONOTONIC.
sync; echo 3 > /proc/sys/vm/drop_caches; echo $((64 << 20)) > "$group/$limit"
queue=/sys/block/${loop#/dev/}/trace
echo 0 > $T/tracing_on; echo mono > $T/trace_clock; echo blk > $T/current_tracer
echo 8192 > $T/saved_cmdlines_size; echo 16384 > $T/buffer_size_kb
for o in noblk_classic bin nocontext-info noblk_cgname noblk_cgroup record-cmd overwrite; do
    echo $o > $T/trace_options                # noblk_classic sets context-info, so it comes first
done
echo queue,issue,complete > "$queue/act_mask"
cat $T/trace_pipe > "$work/raw" & reader=$!
echo 1 > $T/tracing_on

drop() { sync; echo 3 > /proc/sys/vm/drop_caches; sleep 1; }
phase() { drop; python3 -c 'import sys, time; print(time.monotonic_ns(), time.time_ns(), sys.argv[1])' "$1" \
    | tee -a "$work/phases" >&2; }
database() { bench -n -c 4 -T "$1" -R "$2" -f "$work/SELECT@7" -f "$work/UPDATE@3"; }
build() { make -s -C "$repo" clean; make -s -j2 -C "$repo"; }
switches() { for b in "$@"; do git checkout -q "$b"; drop; done; }
random() { fio --name=random --filename="$scratch" --rw=randrw --rwmixread=70 --bsrange=4k-16k --direct=1 \
    --random_distribution=zipf:1.1 --ioengine=libaio --iodepth=8 --number_ios=2000 --rate_iops=200,90 \
    --randseed="$1" --output=/dev/null; }
scan() { fio --name=scan --filename="$scratch" --rw=read --bs=128k --direct=1 --size=24M --output=/dev/null; }

phase "database";                database 35 80
phase "build";                   build
phase "git checkout";            switches topic-1 topic-2 main
phase "random 70/30";            random 1
phase "sequential scan";         scan
phase "database";                database 35 80
phase "git checkout";            switches topic-2 topic-1 main
phase "build beside database";   database 25 60 & build; wait $!
phase "random 70/30";            random 2
phase "sequential scan";         scan
phase "end"

# Drain the buffers; then the kernel's counters say whether anything was lost.
echo 0 > $T/tracing_on
while grep -hq '^entries: [1-9]' $T/per_cpu/cpu*/stats; do sleep 0.2; done
sleep 1
grep -hE 'overrun|dropped' $T/per_cpu/cpu*/stats | sort | uniq -c >&2
if grep -hqE '(overrun|dropped events): [1-9]' $T/per_cpu/cpu*/stats; then echo "$0: events were lost" >&2; exit 1; fi

# Keep Q M F R D C X (not G P U I), and add the notes that this way of tracing does not write: the time of day,
# the names of processes, and one message per phase. A completion's process is whoever was interrupted: no name.
cat $T/saved_cmdlines > "$work/names"
python3 - "$work" "$out" <<'END'
import struct, sys
work, record, magic = sys.argv[1], struct.Struct("<IIQQIIIIIHH"), 0x65617407
names = dict(line.split(None, 1) for line in open(work + "/names").read().split("\n") if " " in line)
phases = [line.rstrip("\n").split(" ", 2) for line in open(work + "/phases")]
data, at, seen, out = open(work + "/raw", "rb").read(), 0, set(), []
begin, clock = int(phases[0][0]), int(phases[0][1])
def note(kind, time, pid, device, cpu, text):
    out.append(record.pack(magic, 0, time, 0, 0, 0x04000000 | kind, pid, device, cpu, 0, len(text)) + text)
while at < len(data):
    got, _, time, _, _, action, pid, device, cpu, _, more = record.unpack_from(data, at)
    if got != magic: sys.exit(f"no version 7 record at byte {at}: {data[at:at + 40]!r}")
    start, at = at, at + record.size + more
    if time < begin or action & 0xff not in (1, 2, 3, 6, 7, 8, 13): continue
    if not out: note(1, begin, 0, device, 0, struct.pack("<II", *divmod(clock, 10**9)))
    while phases and int(phases[0][0]) <= time:
        note(2, int(phases[0][0]), 0, device, 0, phases.pop(0)[2].encode())
    if action & 0xff != 8 and pid not in seen and str(pid) in names:
        seen.add(pid); note(0, time, pid, device, cpu, names[str(pid)].encode().ljust(16, b"\0"))
    out.append(data[start:at])
open(sys.argv[2], "wb").write(b"".join(out))
END
zstd -q -f -19 "$out"
