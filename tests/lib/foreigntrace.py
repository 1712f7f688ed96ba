# SPDX-License-Identifier: MIT
"""Writes kernel traces as LTTng and trace-cmd would have recorded them, of what a
session's own kernel side holds, to hold the readers of such traces against.

    events = [json of `tandem print --format json`]
    write_lttng("lttng", events, boot_id, host)
    write_dat("trace.dat", events, host, release)
"""
import os
import struct
import uuid

# What the kernel calls the states: bits of prev_state.
STATES = {"runnable": 0, "preempted": 0x100, "sleeping": 1, "disk": 2, "stopped": 4, "traced": 8,
          "dead": 16, "zombie": 32, "parked": 64, "idle": 2, "unknown": 64}


def comm(name):
    return name.encode()[:15].ljust(16, b"\0")


class Names:
    """Who is called what, as the trace goes by."""

    def __init__(self):
        self.of, self.pid = {0: "swapper"}, {}

    def take(self, event):
        args = event["args"]
        if event["name"] == "task":
            if args["name"]:
                self.of[args["tid"]] = args["name"]
            if args["pid"]:
                self.pid[args["tid"]] = args["pid"]

    def __getitem__(self, tid):
        return self.of.get(tid, "?")


# LTTng: (id, name, fields); what a field is in TSDL, and how it is packed.
TSDL = {"comm": "char_t %s[16]", "i": "i32_t %s", "q": "i64_t %s"}
LTTNG = {
    "sched_switch": (0, [("comm", "prev_comm"), ("i", "prev_tid"), ("i", "prev_prio"),
                         ("q", "prev_state"), ("comm", "next_comm"), ("i", "next_tid"),
                         ("i", "next_prio")]),
    "sched_waking": (1, [("comm", "comm"), ("i", "tid"), ("i", "prio"), ("i", "target_cpu")]),
    "sched_wakeup": (2, [("comm", "comm"), ("i", "tid"), ("i", "prio"), ("i", "target_cpu")]),
    "sched_wakeup_new": (3, [("comm", "comm"), ("i", "tid"), ("i", "prio"), ("i", "target_cpu")]),
    "sched_migrate_task": (4, [("comm", "comm"), ("i", "tid"), ("i", "prio"), ("i", "orig_cpu"),
                               ("i", "dest_cpu")]),
    "sched_process_fork": (5, [("comm", "parent_comm"), ("i", "parent_tid"), ("i", "parent_pid"),
                               ("comm", "child_comm"), ("i", "child_tid"), ("i", "child_pid")]),
    "sched_process_exit": (6, [("comm", "comm"), ("i", "tid"), ("i", "prio")]),
    "lttng_statedump_process_state": (7, [("i", "tid"), ("i", "pid"), ("comm", "name")]),
}


def values(event, names):
    """(LTTng's name of the event, its fields), or None."""
    args, name = event["args"], event["name"]
    if name == "sched_switch":
        return name, {"prev_comm": names[args["prev_tid"]], "prev_tid": args["prev_tid"],
                      "prev_prio": args["prev_prio"], "prev_state": STATES[args["prev_state"]],
                      "next_comm": names[args["next_tid"]], "next_tid": args["next_tid"],
                      "next_prio": args["next_prio"]}
    if name in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
        return name, {"comm": names[args["tid"]], "tid": args["tid"], "prio": 120,
                      "target_cpu": args["target_cpu"]}
    if name == "sched_migrate_task":
        return name, {"comm": names[args["tid"]], "tid": args["tid"], "prio": 120,
                      "orig_cpu": args["orig_cpu"], "dest_cpu": args["dest_cpu"]}
    if name == "task_new":
        return "sched_process_fork", {"parent_comm": names[args["parent_tid"]],
                                      "parent_tid": args["parent_tid"],
                                      "parent_pid": args["parent_pid"],
                                      "child_comm": names[args["parent_tid"]],
                                      "child_tid": args["tid"], "child_pid": args["pid"]}
    if name == "task_exit":
        return "sched_process_exit", {"comm": names[args["tid"]], "tid": args["tid"], "prio": 120}
    if name == "task" and args["pid"]:
        return "lttng_statedump_process_state", {"tid": args["tid"], "pid": args["pid"],
                                                 "name": args["name"]}
    return None


def by_cpu(events, skip=0):
    """{cpu: [(ns, name, fields)]} of a session's kernel events, without so many of the first."""
    names, cpus = Names(), {}
    for number, event in enumerate(events):
        if event["process"]:
            continue
        names.take(event)
        told = values(event, names)
        if told and number >= skip:
            cpus.setdefault(event["thread"], []).append((event["monotonic_ns"], *told))
    return cpus


def _head(ident, boot_id, host, domain="kernel", clock="monotonic", offset=1700000000000000000):
    return f"""/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; encoding = UTF8; }} := char_t;
typealias integer {{ size = 8; align = 8; signed = false; }} := u8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := u16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := u32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := u64_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := i32_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := i64_t;
trace {{ major = 1; minor = 8; uuid = "{ident}"; byte_order = le;
 packet.header := struct {{ u32_t magic; u8_t uuid[16]; u32_t stream_id; u64_t stream_instance_id; }}; }};
env {{ hostname = "{host}"; domain = "{domain}"; sysname = "Linux"; tracer_name = "lttng-modules"; }};
clock {{ name = "{clock}"; uuid = "{boot_id}"; freq = 1000000000; offset = {offset}; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.{clock}.value; }} := ts_t;
stream {{ id = 0; event.header := struct {{ u16_t id; ts_t timestamp; }};
 packet.context := struct {{ ts_t timestamp_begin; ts_t timestamp_end; u64_t content_size;
 u64_t packet_size; u64_t events_discarded; u32_t cpu_id; }}; }};
"""


def write_lttng(folder, events, boot_id, host, domain="kernel", clock="monotonic", discarded=0, ident=None,
                skip=0, offset=1700000000000000000):
    """`discarded` events are missing before each CPU's second packet; `ident`: 16 bytes, of the chunks
    of one trace; `skip`: so many of the events lie in another chunk."""
    os.makedirs(folder)
    ident = uuid.UUID(bytes=ident) if ident else uuid.uuid4()
    text = _head(ident, boot_id, host, domain, clock, offset)
    for name, (number, fields) in LTTNG.items():
        body = " ".join((TSDL[kind] % field) + ";" for kind, field in fields)
        text += f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{ {body} }}; }};\n'
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(text)
    for cpu, rows in by_cpu(events, skip).items():
        _channel(folder, ident, cpu, [(row[0], lttng_event(*row)) for row in rows], discarded)


def _channel(folder, ident, cpu, rows, discarded=0):
    """`rows`: (ns, bytes)."""
    with open(os.path.join(folder, f"channel0_{cpu}"), "wb") as file:
        for start in range(0, len(rows), 500):
            some = rows[start:start + 500]
            data = b"".join(row[1] for row in some)
            size = (32 + 8 * 5 + 4 + len(data)) * 8
            file.write(struct.pack("<I16sIQ", 0xC1FC1FC1, ident.bytes, 0, cpu) +
                       struct.pack("<QQQQQI", some[0][0], some[-1][0], size, size,
                                   discarded if start else 0, cpu) + data)


# As lttng-modules 2.10 has a segment's headers, of which the reader wants these.
SEGMENT = """ u32_t len; enum : u8_t {{ "_unknown" = 0, "_ipv4" = 1 }} _network_header_type;
 variant <_network_header_type> {{ struct {{ }} _unknown; struct {{ u8_t ttl;
 enum : u8_t {{ "_unknown" = 0, "_tcp" = 1 }} _transport_header_type;
 variant <_transport_header_type> {{ struct {{ }} _unknown; struct {{ u16_t source_port; u16_t dest_port;
 u32_t seq; u32_t ack_seq; }} _tcp; }} _transport_header; }} _ipv4; }} _network_header; """


def write_lttng_network(folder, boot_id, host, offset, rows):
    """A kernel's trace of one CPU: (ns, "net_dev_queue" or "net_if_receive_skb", (ports, seq, ack_seq)), or
    None for a packet that is no segment; (ns, "sched_switch", fields)."""
    os.makedirs(folder)
    ident = uuid.uuid4()
    text = _head(ident, boot_id, host, offset=offset)
    number, fields = LTTNG["sched_switch"]
    body = " ".join((TSDL[kind] % field) + ";" for kind, field in fields)
    text += f'event {{ name = "sched_switch"; id = {number}; stream_id = 0; fields := struct {{ {body} }}; }};\n'
    for number, name in ((20, "net_dev_queue"), (21, "net_if_receive_skb")):
        text += (f'event {{ name = "{name}"; id = {number}; stream_id = 0; '
                 f'fields := struct {{ {SEGMENT.format()} }}; }};\n')
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(text)
    data = []
    for ns, name, what in sorted(rows, key=lambda row: row[0]):
        if name == "sched_switch":
            data.append((ns, lttng_event(ns, name, what)))
            continue
        packet = struct.pack("<IBBBHHII", 60, 1, 64, 1, *what) if what else struct.pack("<IB", 60, 0)
        data.append((ns, struct.pack("<HQ", 20 if name == "net_dev_queue" else 21, ns) + packet))
    _channel(folder, ident, 0, data)


OPERATION = [("op", "Q"), ("queued", "Q"), ("submitted", "Q"), ("start", "Q"), ("end", "Q"), ("queue", "I"),
             ("kernel", "I"), ("bytes", "Q"), ("status", "i"), ("api", "H"), ("kind", "B"), ("domain", "B"),
             ("completion_source", "B"), ("time_domain", "B"), ("launch_config", "I")]
BUILD = [("program", "I"), ("domain", "B"), ("step", "B"), ("device", "I"), ("status", "i"), ("begin", "Q"),
         ("end", "Q"), ("options", "s"), ("log", "s")]


def write_lttng_calls(folder, boot_id, host, offset, rows, pid=77, tid=78):
    """A program's trace by our own provider: calls of clFinish, (begin in ns, end in ns) each. In the middle
    of each an operation of the device was between begin and end by the host's clock, and a program was built
    from begin to end."""
    os.makedirs(folder)
    ident = uuid.uuid4()
    text = _head(ident, boot_id, host, domain="ust", offset=offset).replace("lttng-modules", "lttng-ust")
    text = text.replace("event.header :=", "event.context := struct { u32_t vpid; u32_t vtid; char_t procname[16]; };\n"
                        " event.header :=")
    for number, (name, field) in enumerate((("clFinish_entry", "u32_t queue;"), ("clFinish_exit", "i32_t result;"))):
        text += (f'event {{ name = "tandem_opencl:{name}"; id = {number}; stream_id = 0; '
                 f'fields := struct {{ {field} }}; }};\n')
    kinds = {"Q": "u64_t", "I": "u32_t", "i": "i32_t", "H": "u16_t", "B": "u8_t", "s": "string"}
    for number, (name, fields) in enumerate((("operation", OPERATION), ("build", BUILD)), 2):
        body = " ".join(f"{kinds[kind]} {field};" for field, kind in fields)
        text += (f'event {{ name = "tandem_core:{name}"; id = {number}; stream_id = 0; '
                 f'fields := struct {{ {body} }}; }};\n')
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(text)
    data = []
    for number, (begin, end) in enumerate(rows, 1):
        head = struct.pack("<II16s", pid, tid, comm(host))
        begun = {"op": number, "queued": begin, "submitted": begin, "start": begin, "end": end, "domain": 1,
                 "time_domain": 2, "kind": 1, "begin": begin}
        data.append((begin, struct.pack("<HQ", 0, begin) + head + struct.pack("<I", 1)))
        middle = (begin + end) // 2
        for which, fields in ((2, OPERATION), (3, BUILD)):
            data.append((middle, struct.pack("<HQ", which, middle) + head + b"".join(
                b"\0" if kind == "s" else struct.pack("<" + kind, begun.get(field, 0)) for field, kind in fields)))
        data.append((end, struct.pack("<HQ", 1, end) + head + struct.pack("<i", 0)))
    _channel(folder, ident, 0, data)


def lttng_event(ns, name, fields):
    number, kinds = LTTNG[name]
    data = struct.pack("<HQ", number, ns)
    for kind, field in kinds:
        value = fields[field]
        data += comm(value) if kind == "comm" else struct.pack("<" + kind, value)
    return data


# trace-cmd: the kernel's own descriptions, and records laid out by them.
COMMON = """	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
C_TYPES = {"comm": ("char", "[16]", 16), "i": ("int", "", 4), "q": ("long", "", 8)}
FTRACE = {
    "sched_switch": (300, [("comm", "prev_comm"), ("i", "prev_pid"), ("i", "prev_prio"),
                           ("q", "prev_state"), ("comm", "next_comm"), ("i", "next_pid"),
                           ("i", "next_prio")]),
    "sched_waking": (301, [("comm", "comm"), ("i", "pid"), ("i", "prio"), ("i", "target_cpu")]),
    "sched_wakeup": (302, [("comm", "comm"), ("i", "pid"), ("i", "prio"), ("i", "target_cpu")]),
    "sched_wakeup_new": (303, [("comm", "comm"), ("i", "pid"), ("i", "prio"),
                               ("i", "target_cpu")]),
    "sched_migrate_task": (304, [("comm", "comm"), ("i", "pid"), ("i", "prio"), ("i", "orig_cpu"),
                                 ("i", "dest_cpu")]),
    "sched_process_fork": (305, [("comm", "parent_comm"), ("i", "parent_pid"),
                                 ("comm", "child_comm"), ("i", "child_pid")]),
    "sched_process_exit": (306, [("comm", "comm"), ("i", "pid"), ("i", "prio")]),
}
HEADER_PAGE = """	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:1;
"""
PAGE = 4096


def ftrace_format(name):
    number, fields = FTRACE[name]
    text, offset = f"name: {name}\nID: {number}\nformat:\n{COMMON}", 8
    for kind, field in fields:
        c_type, array, size = C_TYPES[kind]
        text += f"\tfield:{c_type} {field}{array};\toffset:{offset};\tsize:{size};\tsigned:1;\n"
        offset += size
    return (text + '\nprint fmt: "%d", REC->common_pid\n').encode()


def ftrace_event(name, fields, running):
    number, kinds = FTRACE[name]
    data = struct.pack("<HBBi", number, 0, 0, running)
    for kind, field in kinds:
        value = fields[field]
        data += comm(value) if kind == "comm" else struct.pack("<" + kind, value)
    return data.ljust((len(data) + 3) & ~3, b"\0")


def ftrace_pages(rows):
    """The pages of a CPU's ring buffer (the kernel's header_event explains them)."""
    pages, page, last, running = [], b"", None, 0

    def close():
        if page:
            pages.append(struct.pack("<QQ", first, len(page)) + page.ljust(PAGE - 16, b"\0"))

    for ns, name, fields in rows:
        if name not in FTRACE:
            continue
        fields = {key.replace("tid", "pid"): value for key, value in fields.items()
                  if key not in ("parent_pid", "child_pid")}
        data = ftrace_event(name, fields, running)
        if name == "sched_switch":
            running = fields["next_pid"]
        if last is None or not 0 <= ns - last < 1 << 27 or len(page) + 4 + len(data) > PAGE - 16:
            close()
            page, first, last = b"", ns, ns
        page += struct.pack("<I", (ns - last) << 5 | len(data) // 4) + data
        last = ns
    close()
    return b"".join(pages)


def write_dat(path, events, host, release, clock="mono", version=b"6"):
    def sized(data, width="<Q"):
        return struct.pack(width, len(data)) + data

    data = b"\x17\x08\x44tracing" + version + b"\0" + bytes([0, 8]) + struct.pack("<I", PAGE)
    data += b"header_page\0" + sized(HEADER_PAGE.encode())
    data += b"header_event\0" + sized(b"# compressed entry header\n")
    data += struct.pack("<I", 0)
    data += struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", len(FTRACE))
    data += b"".join(sized(ftrace_format(name)) for name in FTRACE)
    data += sized(b"", "<I") * 2 + sized(b"")
    cpus = by_cpu(events)
    count = max(cpus) + 1 if cpus else 1
    data += struct.pack("<I", count)
    data += b"options  \0"
    for number, text in ((4, f"local [{clock}] boot".encode()),
                         (5, f"Linux {host} {release} #1 SMP x86_64".encode())):
        data += struct.pack("<HI", number, len(text) + 1) + text + b"\0"
    data += struct.pack("<H", 0) + b"flyrecord\0"
    place = (len(data) + 16 * count + PAGE - 1) // PAGE * PAGE
    table, body = b"", b""
    for cpu in range(count):
        pages = ftrace_pages(cpus.get(cpu, []))
        table += struct.pack("<QQ", place + len(body), len(pages))
        body += pages
    with open(path, "wb") as file:
        file.write((data + table).ljust(place, b"\0") + body)
