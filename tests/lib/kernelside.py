# SPDX-License-Identifier: MIT
"""What the tests of the kernel side share: what is permitted here, and reading
DIR/kernel a second time through babeltrace2.

    from kernelside import need, Kernel

    need("system")                       # or the test says aloud why it is skipped
    kernel = Kernel(folder)
    for event in kernel.events: ...      # name, cpu, ticks and the fields
    Gaps(records).of(tid)                # what the kernel itself left out
"""
import bisect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import TANDEM, skip

SYSTEM_WORDS = "the kernel lets us see the whole machine's scheduler only as root"


def scope():
    """What `tandem record` may see here: "system", "program" or "none"."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([TANDEM, "record", "-o", folder + "/s", "--", "sleep", "0.05"],
                              capture_output=True, text=True)
        report = subprocess.run([TANDEM, "report", "--format", "json", folder + "/s"],
                                capture_output=True, text=True)
        return json.loads(report.stdout)["session"]["scheduling"], said.stderr.strip()


def need(wanted):
    """Ends the program as skipped unless that scope can be had."""
    have, said = scope()
    order = ["none", "program", "system"]
    if order.index(have) < order.index(wanted):
        print(f"skipped: {said or 'nothing of the scheduler can be seen here'}")
        sys.exit(77)


def need_tool(name):
    if not shutil.which(name):
        print(f"skipped: there is no {name} here")
        sys.exit(77)


class Event:
    def __init__(self, name, cpu, ticks, fields):
        self.name, self.cpu, self.ticks, self.fields = name, cpu, ticks, fields

    def __getattr__(self, name):
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"{self.ticks} cpu{self.cpu} {self.name} {self.fields}"



class Kernel:
    """DIR/kernel as babeltrace2 reads it."""

    def __init__(self, session):
        self.folder = os.path.join(session, "kernel")
        said = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", self.folder],
                              capture_output=True)
        self.complaints = said.stderr.decode(errors="replace")
        self.events = [self.event(line) for line in
                       said.stdout.replace(b"\0", b"").decode(errors="replace").splitlines()]

    @staticmethod
    def event(line):
        ticks = int(re.match(r"\[(\d+)\]", line)[1])
        cpu = int(re.search(r'thread_name = "cpu (\d+)"', line)[1])
        name = re.search(r"(\w+): \{", line)[1]
        payload = line.rsplit("}, { ", 1)[-1]
        fields = {}
        for key, text, number in re.findall(
                r'(\w+) = (?:\( )?(?:"([^"]*)"|(-?\d+|0x[0-9A-Fa-f]+))', payload):
            fields[key] = text if not number else int(number, 0)
        return Event(name, cpu, ticks, fields)

    def named(self, name):
        return [event for event in self.events if event.name == name]


class Gaps:
    """What kernels leave out now and then: a switch, so that on a CPU who goes is not who
    came. `records`: (ns, cpu, prev tid, next tid) of each switch, (ns, None, tid, tid) of
    each other record about a thread.

    Nobody knows then what two threads did, and only these: the one that came, until its
    next record; and the one that goes, since its record before. Who goes first of all on
    a CPU came before the records began: the same. `of(tid)` says how often that was, and
    for how many ns."""

    def __init__(self, records):
        records = sorted(records, key=lambda record: record[0])
        self.threads, came, named = {}, {}, {}
        for ns, _, *tids in records:
            for tid in set(tids):
                named.setdefault(tid, []).append(ns)
        self.start, self.end = (records[0][0], records[-1][0]) if records else (0, 0)
        for ns, cpu, prev, next_ in records:
            if cpu is None:
                continue
            tid, since = came.get(cpu, (None, ns))
            if tid != prev:
                if tid is not None:
                    self.add(tid, since, max(ns, self.after(named, tid, since)))
                self.add(prev, min(since, self.before(named, prev, ns)), ns)
            came[cpu] = next_, ns

    def after(self, named, tid, ns):
        times = named[tid]
        at = bisect.bisect_right(times, ns)
        return times[at] if at < len(times) else self.end

    def before(self, named, tid, ns):
        at = bisect.bisect_left(named[tid], ns)
        return named[tid][at - 1] if at else self.start

    def add(self, tid, begin, end):
        if tid:
            count, ns = self.threads.get(tid, (0, 0))
            self.threads[tid] = count + 1, ns + end - begin

    def of(self, tid):
        return self.threads.get(tid, (0, 0))
