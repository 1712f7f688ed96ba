# SPDX-License-Identifier: MIT
"""Runs programs with and without `tandem record`, and looks at what was recorded.

    from recording import PROGRAMS, run, Session

    alone = run([PROGRAMS / "linked"], calls=True)         # what it prints and calls
    recorded = run([PROGRAMS / "linked"], "basic")         # the same, recorded
    recorded.same_as(alone)                                # prints and ends alike
    recorded.session.verify("linked", alone.calls)         # and the trace is right

Streams are read here a second time, in Python and from the specification, so
that a fault which tandem's writer and reader share is seen.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from tap import check, TANDEM

BUILD = pathlib.Path(os.environ["TANDEM_BUILD"])
PROGRAMS = BUILD / "tests" / "programs"
STUB = BUILD / "tests" / "stubs" / "libstubcl.so"
STUB2 = BUILD / "tests" / "stubs" / "libstubcl2.so"
LAYER = PROGRAMS / "liblayercount.so"
POCL = "/etc/OpenCL/vendors/pocl.icd"
SANITIZED = os.environ.get("TANDEM_SANITIZE")

# The states that a program is compared in, and their options.
STATES = {
    "paused": ["--start-paused"],
    "none": ["--args", "none"],
    "basic": ["--args", "basic"],
    "full": ["--args", "full"],
}
DRIVERS = {
    "stub": {"OCL_ICD_VENDORS": str(STUB)},
    "basic": {"POCL_DEVICES": "basic"},
    "pthread": {"POCL_DEVICES": "pthread"},
}

# Intel's driver for CPUs, and the loader that comes with it, which takes layers in the
# new way. tests/run sets the variable where it is not.
INTEL = pathlib.Path(os.environ.get("TANDEM_OPENCL_RT", "/nonexistent")) / "lib"
DRIVERS["intel"] = {"LD_LIBRARY_PATH": str(INTEL), "OCL_ICD_VENDORS": "/nonexistent",
                    "OCL_ICD_FILENAMES": str(INTEL / "libintelocl.so")}

PACKET_HEADER = 120  # struct tandem_packet_header

# Another driver in PoCL's place: an .icd file, or what one would name.
OTHER = os.environ.get("TANDEM_TEST_ICD")
if OTHER:
    DRIVERS["basic"] = DRIVERS["pthread"] = {"OCL_ICD_VENDORS": OTHER}

_runs = 0
Run = collections.namedtuple("Run", "stdout stderr status session calls")


def has_pocl():
    return bool(OTHER) or os.path.exists(POCL)


def has_intel():
    return (INTEL / "libintelocl.so").exists() and (INTEL / "libOpenCL.so.1").exists()


def run(command, state=None, env=None, options=(), calls=False, timeout=100, **more):
    """Runs it alone (state None) or recorded. With `calls`, counts its calls with
    the counting layer."""
    global _runs
    _runs += 1
    folder = os.path.abspath(f"run-{_runs}")
    environment = dict(os.environ, **{k: str(v) for k, v in (env or {}).items()})
    command = [str(word) for word in command]
    counts = folder + ".counts"
    if calls:
        environment["OPENCL_LAYERS"] = str(LAYER)
        environment["LAYER_COUNTS"] = counts
    if state is not None:
        if "--kernel" not in options:
            options = ["--kernel", "off", *options]
        command = [TANDEM, "record", "--quiet", "-o", folder, *STATES.get(state, []), *options, "--",
                   *command]
    given = more.pop("input", None)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace",
                               stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
                               start_new_session=True, **more)
    try:
        out, err = process.communicate(given, timeout)
    except subprocess.TimeoutExpired:
        # A recorder's program too: it would hang on after it.
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"\nno end after {timeout} s"
    return Run(out, err, process.returncode,
               Session(folder) if state is not None else None,
               layer_counts(counts) if calls else None)


def layer_counts(path):
    counts = collections.Counter()
    with open(path, "rb") as file:
        for name, calls in struct.iter_unpack("56sQ", file.read()):
            if calls:
                counts[name.rstrip(b"\0").decode()] = calls
    return counts


def compare(words, alone, recorded):
    """Prints and ends alike."""
    return check((recorded.stdout, recorded.status) == (alone.stdout, alone.status),
                 f"{words}: as it is alone",
                 f"alone: {alone.status} {alone.stdout}{alone.stderr}\n"
                 f"recorded: {recorded.status} {recorded.stdout}{recorded.stderr}")


class Session:
    """A recorded session, read when it is first asked."""

    def __init__(self, folder):
        self.folder = folder
        self._events = None

    @property
    def events(self):
        if self._events is None:
            said = subprocess.run([TANDEM, "print", "--raw", "--format", "json", self.folder],
                                  capture_output=True, text=True)
            self.complaints = said.stderr
            self.print_status = said.returncode
            events = [json.loads(line) for line in said.stdout.splitlines()]
            # What the kernel recorded is no process's: tests/kernel looks at it.
            self._events = [e for e in events if e["process"]]
        return self._events

    def placed(self):
        """What devices did, on the host's clock: an event for each begin and end."""
        said = subprocess.run([TANDEM, "print", "--format", "json", self.folder],
                              capture_output=True, text=True)
        events = map(json.loads, said.stdout.splitlines())
        return [e for e in events if e["process"] and e["name"] == "operation"]

    def report(self):
        said = subprocess.run([TANDEM, "report", "--format", "json", self.folder],
                              capture_output=True, text=True)
        return json.loads(said.stdout) if said.stdout else {"error": said.stderr}

    def calls(self):
        """What the program called; what the driver called of the program's is none of it."""
        return collections.Counter(e["name"] for e in self.events
                                   if e["domain"] == "opencl" and e["name"] != "event_callback")

    def operations(self):
        return [dict(e["args"], process=e["process"], timed=e["args"]["time_domain"] != "no")
                for e in self.events if e["domain"] == "core" and e["name"] == "operation"]

    def enqueued(self):
        """(process, id) of the commands that were enqueued."""
        return [(e["process"], e["args"]["op"]) for e in self.events
                if e["domain"] == "opencl" and e["args"].get("op", "0") not in ("0", 0, None)
                and e.get("result", 0) == 0]

    def losses(self):
        return self.report()["losses"]["by_reason"]

    def processes(self):
        return sorted(pathlib.Path(self.folder).glob("process-*"))

    def traces(self):
        """The CTF traces: of each process and, where it was recorded, of the kernel."""
        return self.processes() + sorted(pathlib.Path(self.folder).glob("kernel"))

    def records(self):
        """(event name, bytes) of each record, from the files themselves."""
        for process in self.traces():
            names = event_names(process / "metadata")
            seen = set()
            for path in sorted(process.glob("stream-*")) + sorted(process.glob("window-*")):
                for ident, size in stream_records(path, seen):
                    yield names.get(ident, f"unknown {ident}"), size

    def babeltrace(self):
        """(number of events, what it said on stderr); (None, why) without it."""
        if not shutil.which("babeltrace2"):
            return None, "no babeltrace2"
        processes = [str(p) for p in self.traces() if (p / "metadata").exists()]
        if not processes:
            return 0, ""
        said = subprocess.run(["babeltrace2", "--component", "sink.utils.counter",
                               "--params", "hide-zero=no,step=+0", *processes],
                              capture_output=True, text=True)
        match = re.search(r"^\s*(\d+) Event messages?", said.stdout, re.M)
        return int(match[1]) if match else 0, said.stderr

    def callbacks_left(self):
        """Callbacks that a driver's thread had not come back from when the process ended: a
        program that one of them has woken may end before. Nothing follows them in their threads."""
        last = {(e["process"], e["thread"]): e for e in self.events}
        return sum(e["name"] == "event_callback" and e.get("duration_ns") is None for e in last.values())

    def verify(self, words, calls=None, unfinished=0, lost=0, open_calls=0):
        """The rules that hold for every session. `calls`: what the program called."""
        ok = check(not self.events or not self.complaints, f"{words}: is read without a complaint",
                   self.complaints if self._events else "")
        report = self.report()
        if lost is not None:
            check(report["losses"]["total"] == lost, f"{words}: {lost} lost", report["losses"])
        if calls is not None:
            mine = self.calls()
            called = sum(e["name"] == "event_callback" for e in self.events)
            asked = sum(e["name"] == "clSetEventCallback" and not e["result"] for e in self.events)
            check(called <= asked and bool(called) == bool(asked),
                  f"{words}: the program's callbacks", f"{called} of {asked}")
            check(mine == calls, f"{words}: each call once",
                  "too many %s, too few %s" % (mine - calls, calls - mine))
        enqueued = self.enqueued()
        ended = [(o["process"], o["op"]) for o in self.operations()]
        missing = collections.Counter(enqueued) - collections.Counter(ended)
        extra = collections.Counter(ended) - collections.Counter(enqueued)
        # exec starts the numbers of a process anew.
        anew = any("." in process.name for process in self.processes())
        check(anew or len(set(enqueued)) == len(enqueued), f"{words}: each command has its number")
        if unfinished is not None:
            check(not extra and sum(missing.values()) == unfinished,
                  f"{words}: each command ends once", f"missing {missing}, too many {extra}")
            check(report["operations"]["unfinished"] == unfinished,
                  f"{words}: {unfinished} unfinished", report["operations"])
        opened = sum("duration_ns" not in e or e["duration_ns"] is None
                     for e in self.events if e["domain"] == "opencl") - self.callbacks_left()
        if open_calls is not None:
            check(opened == open_calls, f"{words}: {open_calls} calls never returned", opened)
        count, said = self.babeltrace()
        if count is not None:
            check(count == len(self.events) and not said,
                  f"{words}: babeltrace2 reads as many events", f"{count}, {len(self.events)}: {said}")
        records = sum(1 for _ in self.records())
        check(records == len(self.events), f"{words}: as many records in the files",
              f"{records}, {len(self.events)}")
        return ok


def event_names(metadata):
    text = metadata.read_text(errors="replace")
    return {int(ident): name for name, ident in
            re.findall(r'event\s*\{\s*name = "([^"]+)";\s*id = (\d+);', text)}


def stream_records(path, seen):
    """Walks the packets (src/format/packet.h). `seen` holds the packets that were
    met before: one that stands in the stream and in the window counts once."""
    data = path.read_bytes()
    start = 0
    while start + PACKET_HEADER <= len(data):
        magic, = struct.unpack_from("<I", data, start)
        instance, = struct.unpack_from("<Q", data, start + 24)
        content_bits, packet_bits, sequence = struct.unpack_from("<QQQ", data, start + 48)
        if magic != 0xC1FC1FC1 or packet_bits < PACKET_HEADER * 8:
            return
        end = start + content_bits // 8
        place = start + PACKET_HEADER
        fresh = (instance, sequence) not in seen
        seen.add((instance, sequence))
        while fresh and place + 12 <= end:
            ident, size = struct.unpack_from("<HH", data, place + 8)
            if size < 12:
                raise ValueError(f"{path}: byte {place}: a record of {size} bytes")
            yield ident, size
            place += (size + 7) & ~7
        start += packet_bits // 8
