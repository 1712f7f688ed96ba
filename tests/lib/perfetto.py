# SPDX-License-Identifier: MIT
"""Reads Perfetto traces, knowing nothing of the program that wrote them: the wire
format of Protocol Buffers, and the messages of perfetto.dev's protos/perfetto/
that a timeline is made of.

    trace = perfetto.read("trace.pftrace")
    trace.tracks[uuid].path         ["process 12", "queue 1 on GPU", "kernels"]
    trace.slices                    begin, end (None: open), track, name, args...
    trace.counters, trace.instants, trace.sched
    trace.samples                   of stacks: ns, cpu, pid, tid, frames
    trace.stages                    of GPUs: ns, end, name, gpu, queue, stage, pid
    trace.threads[tid]              (pid, name), as ProcessTree has it
    trace.release, trace.machine    of the kernel; what hardware
    trace.tracks[uuid].of, trace.sched[i].of    which machine: 0 is the trace's own
    trace.syncs[machine]            rounds of (its clocks, the trace's clocks)
"""
import importlib.util
import os
import site
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise ValueError("a varint of more than ten bytes")


def fields(data):
    """Yields (number, value): int, or bytes of what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value = struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif wire == 2:
            length, at = varint(data, at)
            value = data[at:at + length]
            at += length
            if at > len(data):
                raise ValueError("a message longer than what holds it")
        elif wire == 5:
            value = struct.unpack_from("<I", data, at)[0]
            at += 4
        else:
            raise ValueError(f"wire type {wire}")
        if tag >> 3 == 0:
            raise ValueError("field 0")
        yield tag >> 3, value


def message(data):
    """Field number -> list of values."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number, default=None):
    values = found.get(number, [])
    if len(values) > 1:
        raise ValueError(f"field {number} {len(values)} times")
    return values[0] if values else default


def text(value):
    return value.decode()


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Track:
    def __init__(self, uuid):
        self.uuid, self.parent, self.name = uuid, None, None
        self.pid = self.tid = self.unit = None
        self.kind = "track"
        self.path = []


class Event:
    def __init__(self, **known):
        self.__dict__.update(known)

    def __repr__(self):
        return str(self.__dict__)


# Numbers of InternedData's fields.
CATEGORIES, NAMES, ANNOTATION_NAMES, WORDS = 1, 2, 3, 29
FUNCTIONS, FRAMES, STACKS, PATHS, MAPPINGS, CONTEXTS, STAGES = 5, 6, 7, 17, 19, 23, 24
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4


class Trace:
    def __init__(self):
        self.tracks, self.clocks, self.interned = {}, {}, {}
        self.slices, self.instants, self.counters, self.sched = [], [], [], []
        self.threads, self.processes, self.release = {}, {}, None
        self.machine, self.defaults, self.samples, self.stages = None, None, [], []
        self.packets, self.of, self.was, self.known, self.sequences, self.syncs = 0, 0, None, {}, {}, {}
        self._ends = []

    def packet(self, data):
        packet = message(data)
        self.packets += 1
        self.of = one(packet, 98, 0)
        sequence = one(packet, 10)
        if sequence is None:
            raise ValueError("a packet of no sequence")
        if self.sequences.setdefault(sequence, self.of) != self.of:
            raise ValueError(f"a sequence of two machines: {sequence}")
        flags = one(packet, 13, 0)
        if flags & 1:
            if self.of == self.was:
                raise ValueError("the state was cleared in the middle")
            self.interned = self.known[sequence] = {}
        elif sequence not in self.known:
            raise ValueError("the first packet of a sequence does not clear the state")
        self.interned, self.was = self.known[sequence], self.of
        for number, entry in fields(one(packet, 12, b"")):
            entry = message(entry)
            known = self.interned.setdefault(number, {})
            iid = one(entry, 1)
            if not iid or iid in known:
                raise ValueError(f"interned id {iid} twice")
            if number in (FRAMES, STACKS, MAPPINGS, STAGES, CONTEXTS):
                known[iid] = entry
            else:
                known[iid] = text(one(entry, 2))
        if 6 in packet:
            for clock in message(one(packet, 6))[1]:
                clock = message(clock)
                self.clocks[one(clock, 1)] = one(clock, 2)
        if 107 in packet:
            for clocks in map(message, message(one(packet, 107))[1]):
                self.syncs.setdefault(self.of, []).append(tuple(
                    {one(clock, 1): one(clock, 2) for clock in map(message, message(one(clocks, side))[1])}
                    for side in (2, 3)))
        if 60 in packet:
            self.track(message(one(packet, 60)))
        if 11 in packet:
            self.event(one(packet, 8), message(one(packet, 11)))
        if 2 in packet:
            tree = message(one(packet, 2))
            for process in map(message, tree.get(1, [])):
                self.processes[one(process, 1)] = text(one(process, 3, b""))
            for thread in map(message, tree.get(2, [])):
                self.threads[one(thread, 1)] = one(thread, 3), text(one(thread, 2, b""))
        if 59 in packet:
            self.defaults = message(one(packet, 59))
        if 53 in packet:
            self.stage(one(packet, 8), message(one(packet, 53)))
        if 66 in packet:
            self.sample(one(packet, 8), message(one(packet, 66)))
        if 45 in packet:
            names = message(one(message(one(packet, 45)), 1))
            self.release, self.machine = text(one(names, 3)), text(one(names, 4, b""))
        if 1 in packet:
            self.bundle(message(one(packet, 1)))

    def stage(self, ns, found):
        queue, stage = (self.interned[STAGES][one(found, number)] for number in (13, 14))
        self.stages.append(Event(
            ns=ns, end=ns + one(found, 2), name=text(one(found, 17)), gpu=one(found, 11),
            queue=text(one(queue, 2)), stage=text(one(stage, 2)), category=one(stage, 4),
            pid=one(self.interned[CONTEXTS][one(found, 5)], 2), number=one(found, 1)))

    def sample(self, ns, found):
        """Its frames' (function, file), the outermost first."""
        frames = []
        for iid in self.interned[STACKS][one(found, 4)].get(2, []):
            frame = self.interned[FRAMES][iid]
            path = self.interned[MAPPINGS][one(frame, 3)]
            frames.append((self.interned[FUNCTIONS][one(frame, 2)],
                           self.interned[PATHS][one(path, 7)]))
        self.samples.append(Event(ns=ns, cpu=one(found, 1), pid=one(found, 2), tid=one(found, 3),
                                  mode=one(found, 5), frames=frames))

    def track(self, found):
        track = Track(one(found, 1))
        if not track.uuid or track.uuid in self.tracks:
            raise ValueError(f"track {track.uuid} described twice")
        track.parent, track.of = one(found, 5), self.of
        track.name = text(one(found, 2, b""))
        track.rank, track.ordering = one(found, 12), one(found, 11)
        if 3 in found:
            process = message(one(found, 3))
            track.kind, track.pid = "process", one(process, 1)
            track.name = text(one(process, 6, b""))
        if 4 in found:
            thread = message(one(found, 4))
            track.kind, track.pid, track.tid = "thread", one(thread, 1), one(thread, 2)
            track.name = text(one(thread, 5, b""))
        if 8 in found:
            track.kind, track.unit = "counter", one(message(one(found, 8)), 3)
            track.unit_name = text(one(message(one(found, 8)), 6, b""))
        self.tracks[track.uuid] = track

    def annotation(self, data):
        found = message(data)
        name = self.interned[ANNOTATION_NAMES][one(found, 1)] if 1 in found else None
        if 12 in found:
            return name, [self.annotation(value)[1] for value in found[12]]
        for number, value in ((n, v[0]) for n, v in found.items() if n != 1):
            if number == 17:
                return name, self.interned[WORDS][value]
            if number == 6:
                return name, text(value)
            if number == 4:
                return name, signed(value)
            if number == 5:
                return name, struct.unpack("<d", struct.pack("<Q", value))[0]
            if number in (2, 3, 7):
                return name, value
            raise ValueError(f"annotation of field {number}")
        return name, []

    def event(self, ns, found):
        kind = one(found, 9)
        event = Event(ns=ns, track=one(found, 11), end=None,
                      name=self.interned[NAMES][one(found, 10)] if 10 in found else None,
                      category=[self.interned[CATEGORIES][i] for i in found.get(3, [])],
                      args=dict(map(self.annotation, found.get(4, []))),
                      flows=found.get(47, []), last_flows=found.get(48, []),
                      value=signed(one(found, 30, 0)), order=self.packets)
        if event.track not in self.tracks:
            raise ValueError(f"an event on track {event.track}, which is not described")
        {SLICE_BEGIN: self.slices, SLICE_END: self._ends, INSTANT: self.instants,
         COUNTER: self.counters}[kind].append(event)

    def bundle(self, found):
        cpu = one(found, 1)
        for data in found.get(2, []):
            event = message(data)
            names = {4: "sched_switch", 17: "sched_wakeup", 20: "sched_waking",
                     114: "sched_wakeup_new", 329: "sys_enter", 330: "sys_exit"}
            for number, name in names.items():
                if number in event:
                    self.sched.append(Event(of=self.of, ns=one(event, 1), tid=one(event, 2), cpu=cpu, name=name,
                                            flags=one(event, 5, 0),
                                            fields=message(one(event, number))))

    def finish(self):
        """Closes slices as a reader of events in the order of time does."""
        for track in self.tracks.values():
            at, track.path = track, []
            while at:
                track.path.insert(0, f"process {at.pid}" if at.kind == "process" else at.name)
                if at.parent and at.parent not in self.tracks:
                    raise ValueError(f"track {at.uuid} below one that is not there")
                at = self.tracks.get(at.parent)
        stacks = {}
        for event in sorted(self.slices + self._ends, key=lambda e: (e.ns, e.order)):
            stack = stacks.setdefault(event.track, [])
            if event.name is not None:
                event.depth = len(stack)
                stack.append(event)
            elif stack:
                begun = stack.pop()
                begun.end = event.ns
                begun.flows = begun.flows + event.flows
                begun.last_flows = begun.last_flows + event.last_flows
            else:
                raise ValueError("the end of a slice that never began")


def read(path):
    trace = Trace()
    with open(path, "rb") as file:
        data = file.read()
    for number, value in fields(data):
        if number != 1:
            raise ValueError(f"field {number} of the trace")
        trace.packet(value)
    trace.finish()
    return trace


def unknown_fields(path):
    """Fields that Perfetto's own schema, of the package `perfetto` on PyPI, does not have, as
    (message, number); None where that package is not here."""
    for folder in site.getsitepackages() + [site.getusersitepackages()]:
        file = os.path.join(folder, "perfetto", "protos", "perfetto", "trace",
                            "perfetto_trace_pb2.py")
        if os.path.exists(file):
            break
    else:
        return None
    spec = importlib.util.spec_from_file_location("perfetto_trace_pb2", file)
    schema = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(schema)
    from google.protobuf.unknown_fields import UnknownFieldSet  # of what `perfetto` needs
    found = set()

    def look(piece):
        for field in UnknownFieldSet(piece):
            found.add((piece.DESCRIPTOR.name, field.field_number))
        for field, value in piece.ListFields():
            if field.message_type:
                for inner in value if field.is_repeated else [value]:
                    look(inner)
    trace = schema.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    look(trace)
    return found
