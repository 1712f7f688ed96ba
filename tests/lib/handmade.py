# SPDX-License-Identifier: MIT
"""Sessions of a few events, each at a time of one's choice.

    made = Session("s")                          times are ns since the start
    made.call("clFinish", 80, 120)
    made.call("clEnqueueNDRangeKernel", 10, 40, op=1)
    made.operation(121, op=1, times=(20, 30, 90, 110))
    made.write()

One process, its threads numbered from 1; no arguments but the operation's id. The
rest of the session (control page, metadata) comes from bench/gen_trace.
"""
import os
import re
import struct

from traces import synthetic

TICKS_PER_NS = 2.5  # as bench/gen_trace has it
START_TICKS = 10**12
START_NS = 400 * 10**9
DEVICE_OFFSET_NS = 7 * 10**9  # device time minus host time
OPEN = object()  # of a call that never returns


class Session:
    def __init__(self, path):
        self.path = path
        self.threads = {}
        self.first_tid = 1000  # thread 1 has the next one; the process is 1000
        synthetic(path, records=50, threads=1, args="none")
        self.folder = os.path.join(path, "process-1000")
        with open(os.path.join(self.folder, "metadata"), encoding="utf-8") as file:
            text = file.read()
        self.ids = {name: int(number) for name, number in
                    re.findall(r'^event \{ name = "(\w+)"; id = (\d+);', text, re.M)}
        self.uuid = bytes.fromhex(re.search(r'uuid = "([^"]*)"', text)[1].replace("-", ""))

    @staticmethod
    def ticks(ns):
        return START_TICKS + round(ns * TICKS_PER_NS)

    def add(self, thread, ns, name, payload):
        data = struct.pack("<QHH", self.ticks(ns), self.ids[name], 12 + len(payload)) + payload
        self.threads.setdefault(thread, []).append((ns, data + b"\0" * (-len(data) % 8)))

    def call(self, name, begin, end, op=None, thread=1, result=0):
        payload = struct.pack("<iQ", result, 0 if end is OPEN else self.ticks(end))
        if op is not None:
            payload += struct.pack("<Q", op)
        self.add(thread, begin, name, payload)

    def operation(self, seen, op, times, thread=1, call="clEnqueueNDRangeKernel", offset=None,
                  kind=0):
        """times: queued, submitted, start, end on the host's axis; None: it has none. kind: as in
        the schema, 0 is a kernel, 2 a copy to the host."""
        shift = START_NS + (DEVICE_OFFSET_NS if offset is None else offset)
        device = [time + shift for time in times] if times else [0] * 4
        self.add(thread, seen, "operation", struct.pack(
            "<QQQQQIIQiHBBBBI", op, *device, 1, 0, 0, 0, self.ids[call], kind, 1, 2, bool(times),
            0))

    def write(self):
        for file in os.listdir(self.folder):
            if file.startswith(("stream-", "window-")):
                os.remove(os.path.join(self.folder, file))
        for thread, records in self.threads.items():
            records.sort(key=lambda record: record[0])
            content = b"".join(data for _, data in records)
            bits = (120 + len(content)) * 8
            begin, end = self.ticks(records[0][0]), self.ticks(records[-1][0])
            header = struct.pack("<I16sIQ", 0xC1FC1FC1, self.uuid, 0, thread)
            header += struct.pack("<QQQQQQQQII16s", begin, end, bits, bits, 0, 0, START_NS,
                                  START_TICKS, 0, self.first_tid + thread, b"worker")
            with open(os.path.join(self.folder, f"stream-{thread}"), "wb") as file:
                file.write(header + content)
