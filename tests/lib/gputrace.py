# SPDX-License-Identifier: MIT
"""Writes what GPU drivers' tracepoints would have recorded, for the readers of them:
the kernel's side of a session (DIR/kernel), or trace-cmd's file. The descriptions
are laid out as the kernel lays them out of the TRACE_EVENT definitions (Linux,
drivers/gpu/drm/), the records by those descriptions.

    synthetic("s")
    side = KernelSide("s")
    side.gpu(cpu, ns, tid, "gpu_scheduler", "drm_run_job", dict(fence=0x10, name="gfx"))
    side.write(end_ns)
"""
import json
import os
import re
import struct

# What a field is in the description, its bytes, and how they are packed.
KINDS = {
    "u16": ("u16", 2, 0, "<H"), "u32": ("u32", 4, 0, "<I"), "s32": ("int", 4, 1, "<i"),
    "u64": ("u64", 8, 0, "<Q"), "uint": ("unsigned int", 4, 0, "<I"),
    "pointer": ("struct dma_fence *", 8, 0, "<Q"), "entity": ("struct drm_sched_entity *", 8, 0, "<Q"),
    "address": ("const char *", 8, 0, "<Q"), "string": ("__data_loc char[]", 4, 0, None),
}

JOB_OLD = [("entity", "entity"), ("pointer", "fence"), ("string", "name"), ("u64", "id"),
           ("u32", "job_count"), ("s32", "hw_job_count")]
# Up to Linux 5.18 the ring's name is a pointer only.
JOB_OLDER = [("entity", "entity"), ("pointer", "fence"), ("address", "name"), ("u64", "id"),
             ("u32", "job_count"), ("s32", "hw_job_count")]
JOB_NEW = [("string", "name"), ("u32", "job_count"), ("s32", "hw_job_count"), ("string", "dev"),
           ("u64", "fence_context"), ("u64", "fence_seqno"), ("u64", "client_id")]
I915 = [("u32", "dev"), ("u64", "ctx"), ("u16", "class"), ("u16", "instance"), ("u32", "seqno")]
FENCE = [("string", "driver"), ("string", "timeline"), ("uint", "context"), ("uint", "seqno")]
VIRTIO = [("s32", "dev"), ("uint", "vq"), ("string", "name"), ("u32", "type"), ("u32", "flags"),
          ("u64", "fence_id"), ("u32", "ctx_id"), ("u32", "num_free"), ("u32", "seqno")]

FORMATS = {
    ("gpu_scheduler", "drm_sched_job"): (1001, JOB_OLD),
    ("gpu_scheduler", "drm_run_job"): (1002, JOB_OLD),
    ("gpu_scheduler", "drm_sched_process_job"): (1003, [("pointer", "fence")]),
    ("gpu_scheduler", "drm_sched_job_wait_dep"): (1004, [("string", "name"), ("u64", "id"),
                                                         ("pointer", "fence"), ("u64", "ctx"),
                                                         ("uint", "seqno")]),
    ("gpu_scheduler", "drm_sched_job_queue"): (1005, JOB_NEW),
    ("gpu_scheduler", "drm_sched_job_run"): (1006, JOB_NEW),
    ("gpu_scheduler", "drm_sched_job_done"): (1007, [("u64", "fence_context"),
                                                     ("u64", "fence_seqno")]),
    ("i915", "i915_request_add"): (1010, I915 + [("u32", "tail")]),
    ("i915", "i915_request_in"): (1011, I915 + [("u32", "port"), ("s32", "prio")]),
    ("i915", "i915_request_out"): (1012, I915 + [("u32", "completed")]),
    ("i915", "i915_request_retire"): (1013, I915 + [("u32", "tail")]),
    ("amdgpu", "amdgpu_cs_ioctl"): (1020, [("u64", "sched_job_id"), ("string", "timeline"),
                                           ("uint", "context"), ("uint", "seqno"),
                                           ("pointer", "fence"), ("address", "ring_name"),
                                           ("u32", "num_ibs")]),
    ("amdgpu", "amdgpu_sched_run_job"): (1021, [("u64", "sched_job_id"), ("string", "timeline"),
                                                ("uint", "context"), ("uint", "seqno"),
                                                ("address", "ring_name"), ("u32", "num_ibs")]),
    ("dma_fence", "dma_fence_signaled"): (1030, FENCE),
    ("virtio_gpu", "virtio_gpu_cmd_queue"): (1040, VIRTIO),
    ("virtio_gpu", "virtio_gpu_cmd_response"): (1041, VIRTIO),
}

COMMON = """	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""


def places(fields):
    """(kind, name, offset) as a C compiler would lay the struct out."""
    offset = 8
    for kind, name in fields:
        size = KINDS[kind][1]
        offset = (offset + size - 1) // size * size
        yield kind, name, offset
        offset += size


def description(system, name, fields=None, number=None):
    number, fields = number or FORMATS[system, name][0], fields or FORMATS[system, name][1]
    text = f"name: {name}\nID: {number}\nformat:\n{COMMON}"
    for kind, field, offset in places(fields):
        words, size, signed, _ = KINDS[kind]
        text += f"\tfield:{words} {field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
    # As the kernel has it: with calls that no reader outside knows.
    return text + '\nprint fmt: "%s", __print_odd(REC->common_pid)\n'


def record(system, name, tid, values, fields=None, number=None):
    """The bytes of one event."""
    number, fields = number or FORMATS[system, name][0], fields or FORMATS[system, name][1]
    laid = list(places(fields))
    size = max([8] + [offset + KINDS[kind][1] for kind, _, offset in laid])
    data, tail = bytearray(size), b""
    struct.pack_into("<HBBi", data, 0, number, 0, 0, tid)
    for kind, field, offset in laid:
        value = values.get(field, "" if kind == "string" else 0)
        if kind == "string":
            text = value.encode() + b"\0"
            struct.pack_into("<I", data, offset, len(text) << 16 | (size + len(tail)))
            tail += text
        else:
            struct.pack_into(KINDS[kind][3], data, offset, value)
    return bytes(data) + tail


class KernelSide:
    """The kernel's side of a session that bench/gen_trace made, written by hand: times
    are ns since its start."""

    def __init__(self, session):
        self.folder, self.path = os.path.join(session, "kernel"), session
        self.cpus, self.described = {}, set()
        with open(os.path.join(session, "session.json"), encoding="utf-8") as file:
            self.run = json.load(file)
        with open(os.path.join(session, "process-1000", "metadata"), encoding="utf-8") as file:
            self.metadata = file.read()
        self.uuid = bytes.fromhex(re.search(r'uuid = "([^"]*)"', self.metadata)[1]
                                  .replace("-", ""))
        schema = os.path.join(os.environ["TANDEM_SOURCE"], "src", "schema")
        with open(os.path.join(schema, "events", "kernel.events"), encoding="utf-8") as file:
            names = re.findall(r"^record (\w+)", file.read(), re.M)
        with open(os.path.join(schema, "domains.def"), encoding="utf-8") as file:
            domain = int(re.search(r"^DOMAIN\((\d+), kernel,", file.read(), re.M)[1])
        self.ids = {name: domain << 10 | index for index, name in enumerate(names)}
        self.ids["lost"] = int(re.search(r'name = "lost"; id = (\d+)', self.metadata)[1])
        self.buffer_loss = int(re.search(r"kernel_buffer = (\d+)", self.metadata)[1])

    def ticks(self, ns):
        return self.run["start_ticks"] + round(ns * self.run["ticks_hz"] / 1e9)

    def add(self, cpu, ns, name, payload):
        data = struct.pack("<QHH", self.ticks(ns), self.ids[name], 12 + len(payload)) + payload
        self.cpus.setdefault(cpu, []).append((ns, data + b"\0" * (-len(data) % 8)))

    def collecting(self, cpu, ns, anew=1):
        self.add(cpu, ns, "collecting", bytes([2, anew, 1, 1, 1, 0]))

    def lost(self, cpu, ns, count):
        self.add(cpu, ns, "lost", struct.pack("<BQ", self.buffer_loss, count))

    def task(self, cpu, ns, tid, pid, name):
        self.add(cpu, ns, "task", struct.pack("<IIIBH", tid, tid, pid, 0, len(name)) +
                 name.encode())

    def gpu(self, cpu, ns, tid, system, name, values=None, text=None, data=None):
        """`values` by field; "fields" among them: this kernel's layout of the event."""
        values = dict(values or {})
        fields = values.pop("fields", None)
        number = FORMATS[system, name][0]
        if (cpu, number) not in self.described:
            self.described.add((cpu, number))
            text = description(system, name, fields) if text is None else text
            texts = [word.encode("latin-1") for word in (system, name, text)]
            self.add(cpu, ns, "format", struct.pack("<IHHH", number, *map(len, texts)) +
                     b"".join(texts))
        data = record(system, name, tid, values, fields) if data is None else data
        self.add(cpu, ns, "tracepoint", struct.pack("<IIH", tid, number, len(data)) + data)

    def write(self, end_ns):
        """The session's kernel side, and that the session ended then."""
        os.makedirs(self.folder, exist_ok=True)
        for file in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, file))
        with open(os.path.join(self.folder, "metadata"), "w", encoding="utf-8") as file:
            file.write(self.metadata)
        self.run["end"] = {key: self.run["start_" + key] + end_ns
                           for key in ("monotonic_ns", "realtime_ns")}
        self.run["end"]["ticks"] = self.ticks(end_ns)
        with open(os.path.join(self.path, "session.json"), "w", encoding="utf-8") as file:
            json.dump(self.run, file)
        for cpu, records in self.cpus.items():
            records.sort(key=lambda item: item[0])
            with open(os.path.join(self.folder, f"stream-{cpu + 1}"), "wb") as file:
                for start in range(0, len(records), 300):
                    file.write(self.packet(cpu, start // 300, records[start:start + 300]))

    def packet(self, cpu, sequence, records):
        content = b"".join(data for _, data in records)
        bits = (120 + len(content)) * 8
        header = struct.pack("<I16sIQ", 0xC1FC1FC1, self.uuid, 0, cpu + 1)
        header += struct.pack("<QQQQQQQQII16s", self.ticks(records[0][0]),
                              self.ticks(records[-1][0]), bits, bits, sequence, 0,
                              self.run["start_monotonic_ns"], self.run["start_ticks"], 0, cpu,
                              f"cpu {cpu}".encode())
        return header + content
