#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GPU engines by their drivers' tracepoints: what the host-side and the device-side
queue of each hold over time, and whose jobs those are, against a plain model of
the same jobs. In the words of each driver; with losses, preemption and damage.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto
from gputrace import JOB_OLDER, KernelSide, description, record
from tap import check, finish
from traces import synthetic, tandem

END = 50_000_000
random.seed(7)


class Job:
    def __init__(self, number, ring, pid, queued, handed, done):
        self.number, self.ring, self.pid = number, ring, pid
        self.queued, self.handed, self.done = queued, handed, done


def jobs_of(rings, count=120, pids=(500, 600, 700)):
    """Each ring takes its jobs in order and does one after another."""
    made, number = [], 0
    for ring in rings:
        at = done = handed = 1_000_000
        for _ in range(count):
            number += 1
            at += random.choice((1000, 40_000, 300_000, 600_000))
            handed = max(handed + 500, at + random.randrange(1000, 400_000))
            done = max(done, handed) + random.randrange(10_000, 400_000)
            if done < END:
                made.append(Job(number, ring, random.choice(pids), at, handed, done))
    return made


def model(jobs, ring):
    """The same by brute force."""
    jobs = [job for job in jobs if job.ring == ring]
    edges = sorted({t for job in jobs for t in (job.queued, job.handed, job.done)})
    engine = dict(jobs=len(jobs), busy_ns=0, host=0, device=0, host_most=0, device_most=0)
    for begin, end in zip(edges, edges[1:]):
        host = sum(job.queued <= begin < job.handed for job in jobs)
        device = sum(job.handed <= begin < job.done for job in jobs)
        engine["busy_ns"] += (end - begin) * (device > 0)
        engine["host"] += (end - begin) * host
        engine["device"] += (end - begin) * device
        engine["host_most"] = max(engine["host_most"], host)
        engine["device_most"] = max(engine["device_most"], device)
    users, free = {}, 0
    for job in sorted(jobs, key=lambda job: job.done):
        user = users.setdefault(job.pid, dict(jobs=0, host=0, device=0, executing=0, whole=0))
        begun = max(free, job.handed)
        user["jobs"] += 1
        user["host"] += job.handed - job.queued
        user["device"] += begun - job.handed
        user["executing"] += job.done - begun
        user["whole"] += job.done - job.queued
        free = job.done
    return engine, users


def near(a, b, jobs):
    """Times are stored in ticks of 0.4 ns."""
    return abs(a - b) <= 3 * jobs + 3


def make(path, jobs, put, extra=None):
    """`put` says (ns, tid, system, name, values) of each of a job's steps."""
    synthetic(path, records=50, threads=1, args="none")
    side = KernelSide(path)
    for cpu in range(2):
        side.collecting(cpu, 1000)
    for pid in sorted({job.pid for job in jobs}):
        side.task(0, 2000, pid, pid, f"game-{pid}")
        side.task(0, 2001, pid + 1, pid, "submit")
    # In the order of time, as a stream describes what it is about to use.
    for ns, tid, system, name, values in sorted((step for job in jobs for step in put(job)),
                                                key=lambda step: step[0]):
        side.gpu(random.randrange(2), ns, tid, system, name, values)
    if extra:
        extra(side)
    side.write(END)
    return side


def reported(path):
    said = tandem("report", "--format", "json", path)
    check(said.returncode == 0 and not said.stderr, f"{path}: is reported", said.stderr)
    return json.loads(said.stdout)


def compare(path, jobs, names, driver, split=True):
    report = reported(path)
    engines = {row["name"]: row for row in report["engines"] if row["driver"] == driver}
    check(sorted(engines) == sorted(names.values()) and
          len(report["engines"]) == len(engines), f"{path}: its engines", report["engines"])
    for ring, name in names.items():
        wanted, users = model(jobs, ring)
        got, n = engines.get(name, {}), wanted["jobs"]
        check(got.get("jobs") == n and got["unfinished"] == 0, f"{path}: {name}: jobs", got)
        if split:
            check(near(got["busy_ns"], wanted["busy_ns"], n) and
                  near(got["host_mean"] * END, wanted["host"], n) and
                  near(got["device_mean"] * END, wanted["device"], n) and
                  (got["host_most"], got["device_most"]) ==
                  (wanted["host_most"], wanted["device_most"]),
                  f"{path}: {name}: what its queues held", (got, wanted))
        rows = {row["pid"]: row for row in report["engine_users"] if row["engine"] == name}
        bad = {}
        for pid, user in users.items():
            row = rows.get(pid, {})
            keys = (("host_queue_ns", "host"), ("device_queue_ns", "device"),
                    ("executing_ns", "executing")) if split else (("unsplit_ns", "whole"),)
            if row.get("jobs") != user["jobs"] or row["name"] != f"game-{pid}" or \
                    not all(near(row[a], user[b], n) for a, b in keys):
                bad[pid] = row, user
        check(not bad and len(rows) == len(users), f"{path}: {name}: by process", (bad, rows))
    return report


def older(job):
    values = dict(fence=0xffff888000000000 + 64 * job.number, id=job.number,
                  name={"gfx": 0xffffffffa0001000, "sdma0": 0xffffffffa0002000}[job.ring],
                  entity=16 * job.pid, fields=JOB_OLDER)
    yield job.queued, job.pid + 1, "gpu_scheduler", "drm_sched_job", values
    yield job.handed, 99, "gpu_scheduler", "drm_run_job", values
    yield job.done, 0, "gpu_scheduler", "drm_sched_process_job", dict(fence=values["fence"])


def old(job):
    values = dict(fence=0xffff888000000000 + 64 * job.number, id=job.number, name=job.ring)
    yield job.queued, job.pid + 1, "gpu_scheduler", "drm_sched_job", values
    # Who waits for it is another job, and changes nothing.
    yield job.queued + 1, 99, "gpu_scheduler", "drm_sched_job_wait_dep", values
    yield job.handed, 99, "gpu_scheduler", "drm_run_job", values
    yield job.done, 0, "gpu_scheduler", "drm_sched_process_job", dict(fence=values["fence"])


def beside(job):
    """amdgpu tells of the same jobs, and the fences of them."""
    yield job.queued - 200, job.pid + 1, "amdgpu", "amdgpu_cs_ioctl", \
        dict(timeline=job.ring, context=5, seqno=job.number)
    yield from old(job)
    yield job.handed + 100, 99, "amdgpu", "amdgpu_sched_run_job", \
        dict(timeline=job.ring, context=5, seqno=job.number)
    yield job.done + 50, 0, "dma_fence", "dma_fence_signaled", \
        dict(driver="drm_sched", timeline=job.ring, context=5, seqno=job.number)


def new(job):
    fence = dict(fence_context=20 + len(job.ring), fence_seqno=job.number)
    values = dict(fence, name=job.ring, dev="0000:03:00.0", client_id=job.pid)
    yield job.queued, job.pid + 1, "gpu_scheduler", "drm_sched_job_queue", values
    yield job.handed, 99, "gpu_scheduler", "drm_sched_job_run", values
    yield job.done, 0, "gpu_scheduler", "drm_sched_job_done", fence


ENGINE = {"rcs0": {"class": 0, "instance": 0}, "vcs1": {"class": 2, "instance": 1},
          "card 1 ccs0": {"class": 4, "instance": 0, "dev": 1}}


def i915_values(job):
    return dict(ENGINE[job.ring], ctx=40 + len(job.ring), seqno=job.number)


def i915(job):
    values = i915_values(job)
    yield job.queued, job.pid + 1, "i915", "i915_request_add", values
    yield job.handed, 0, "i915", "i915_request_in", values
    yield job.done, 0, "i915", "i915_request_out", dict(values, completed=1)
    yield job.done + 900, 99, "i915", "i915_request_retire", values


def i915_plain(job):
    values = i915_values(job)
    yield job.queued, job.pid + 1, "i915", "i915_request_add", values
    yield job.done, 99, "i915", "i915_request_retire", values


def amdgpu(job):
    values = dict(timeline=job.ring, context=7 + len(job.ring), seqno=job.number)
    yield job.queued, job.pid + 1, "amdgpu", "amdgpu_cs_ioctl", values
    yield job.handed, 99, "amdgpu", "amdgpu_sched_run_job", values
    yield job.done, 0, "dma_fence", "dma_fence_signaled", dict(values, driver="amd_sched")


AMD = {ring: ring for ring in ("gfx", "sdma0")}

jobs = jobs_of(AMD)
make("old", jobs, old)
compare("old", jobs, AMD, "gpu_scheduler")
make("older", jobs, older)
compare("older", jobs, {"gfx": "ring at 0xffffffffa0001000", "sdma0": "ring at 0xffffffffa0002000"},
        "gpu_scheduler")
make("new", jobs, new)
compare("new", jobs, {ring: "0000:03:00.0 " + ring for ring in AMD}, "gpu_scheduler")
make("beside", jobs, beside)
compare("beside", jobs, AMD, "gpu_scheduler")
make("amdgpu", jobs, amdgpu)
compare("amdgpu", jobs, AMD, "amdgpu")
intel = {ring: ring for ring in ENGINE}
jobs = jobs_of(ENGINE)
make("i915", jobs, i915)
compare("i915", jobs, intel, "i915")
make("plain", jobs, i915_plain)
report = compare("plain", jobs, intel, "i915", split=False)
check(not any(row["busy_ns"] for row in report["engines"]),
      "who is not told when a job was handed over does not know when the device was busy", report["engines"])

# Preempted: given back, handed over again.
one = Job(1, "rcs0", 500, 1_000_000, 2_000_000, 9_000_000)


def preempted(job):
    values = i915_values(job)
    yield job.queued, 501, "i915", "i915_request_add", values
    yield job.handed, 0, "i915", "i915_request_in", values
    yield 4_000_000, 0, "i915", "i915_request_out", dict(values, completed=0)
    yield 7_000_000, 0, "i915", "i915_request_in", values
    yield job.done, 0, "i915", "i915_request_out", dict(values, completed=1)


make("preempted", [one], preempted)
row = reported("preempted")["engines"][0]
check(row["jobs"] == 1 and near(row["busy_ns"], 4_000_000, 1) and
      near(row["host_mean"] * END, 4_000_000, 1), "a job that was preempted waits again", row)


# virtio-gpu has one queue of its own.
def virtio(job):
    values = dict(vq=0, name="control", type=0x207, seqno=job.number)
    yield job.handed, 501, "virtio_gpu", "virtio_gpu_cmd_queue", values
    yield job.done, 0, "virtio_gpu", "virtio_gpu_cmd_response", values


make("virtio", [one], virtio)
row = reported("virtio")["engines"][0]
check((row["driver"], row["name"], row["jobs"]) == ("virtio_gpu", "control", 1) and
      near(row["busy_ns"], 7_000_000, 1), "virtio's commands", row)

# Records are lost while two jobs are in flight: what the engine held from there on
# until it is heard of again is not known, and those two are in no sum.
jobs = [Job(1, "gfx", 500, 1_000_000, 2_000_000, 3_000_000),
        Job(2, "gfx", 500, 4_000_000, 5_000_000, 20_000_000),
        Job(3, "gfx", 600, 4_500_000, 6_000_000, 22_000_000),
        Job(4, "gfx", 600, 30_000_000, 31_000_000, 33_000_000)]
make("lost", jobs, new, lambda side: side.lost(1, 10_000_000, 77))
report = reported("lost")
row = report["engines"][0]
check(row["jobs"] == 2 and row["dropped"] == 2 and near(row["unknown_ns"], 20_000_000, 1),
      "after a loss nothing is known until the next event of the engine", row)
check(near(row["busy_ns"], 1_000_000 + 5_000_000 + 2_000_000, 3), "busy as far as it is known", row)
check(sum(user["jobs"] for user in report["engine_users"]) == 2 and
      near(sum(user["executing_ns"] for user in report["engine_users"]), 3_000_000, 2),
      "and of each process", report["engine_users"])
said = tandem("report", "lost").stdout
check("GPU engines" in said and "untracked jobs" in said, "said in words, too", said)

# print: by their own names, with their own fields; and found by them.
said = tandem("print", "--name", "gpu_scheduler:drm_sched_job_run", "lost").stdout
check(said.count("gpu_scheduler:drm_sched_job_run(tid=99, name=\"gfx\"") == 4 and
      "fence_seqno=4" in said and len(said.splitlines()) == 5, "print shows them", said)
for raw in ([], ["--raw"]):
    said = tandem("print", *raw, "--format", "json", "--name", "drm_sched_job_done", "lost").stdout
    rows = [json.loads(line) for line in said.splitlines()]
    check([row["tracepoint"]["fields"]["fence_seqno"] for row in rows] == [1, 2, 3, 4] and
          all(row["tracepoint"]["system"] == "gpu_scheduler" for row in rows),
          f"{raw} and as JSON", said)

# Exports: a counter for each of the two queues.
jobs = jobs_of({"gfx": "gfx"})
make("export", jobs, old)
wanted, _ = model(jobs, "gfx")
said = tandem("export", "--format", "perfetto", "-o", "t.pftrace", "export")
trace = perfetto.read("t.pftrace")
for words, most in (("jobs in the host's queue", "host_most"), ("jobs at the device", "device_most")):
    values = [c.value for c in trace.counters
              if trace.tracks[c.track].name == f"gpu_scheduler gfx: {words}"]
    check(values and max(values) == wanted[most] and values[-1] == 0,
          f"perfetto: {words}", (said.stderr, values[-5:], wanted[most]))
said = tandem("export", "--format", "chrome", "-o", "t.json", "export")
rows = [row for row in json.load(open("t.json", encoding="utf-8"))["traceEvents"]
        if row["ph"] == "C" and row["name"] == "gpu_scheduler gfx"]
check(len(rows) == 3 * len(jobs) and
      max(row["args"]["host queue"] for row in rows) == wanted["host_most"] and
      rows[-1]["args"] == {"host queue": 0, "device queue": 0}, "chrome: both", said.stderr)

# Damage: a description that makes no sense, bytes that are not there, fields that
# lie outside, other kernels' fields. Never a crash; the rest is read.
whole = description("gpu_scheduler", "drm_run_job")
good = record("gpu_scheduler", "drm_run_job", 1, dict(name="gfx", fence=5))
crashed = []
for turn in range(60):
    def damage(side, turn=turn):
        text, data = bytearray(whole.encode()), bytearray(good)
        if turn % 4 == 0:
            for _ in range(5):
                text[random.randrange(len(text))] = random.randrange(1, 256)
        elif turn % 4 == 1:
            del text[random.randrange(len(text)):]
        elif turn % 4 == 2:
            del data[random.randrange(len(data)):]
        else:
            for _ in range(6):
                data[random.randrange(8, len(data))] = random.randrange(256)
        side.gpu(0, 40_000_000, 1, "gpu_scheduler", "drm_run_job", text=text.decode("latin-1"),
                 data=bytes(data))
    make(f"damage{turn}", [one], virtio, damage)
    for words in (["report", "--format", "json"], ["print"], ["print", "--format", "json"]):
        said = tandem(*words, f"damage{turn}", errors="replace")
        if said.returncode != 0:
            crashed.append((turn, words, said.returncode, said.stderr[-200:]))
check(not crashed, "damaged descriptions and data are read as far as they go", crashed[:3])
finish()
