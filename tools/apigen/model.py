# SPDX-License-Identifier: MIT
"""What every table here is about: fields, layouts and events.

The same model is filled from src/schema/events/core.events (core.py) and from an API
description with its rules (opencl.py), and written as C tables and as TSDL
(schema.py)."""

import dataclasses
import sys


class SourceError(Exception):
    """A line of an input that can't be right."""

    def __init__(self, path, line, text):
        super().__init__("%s:%d: %s" % (path, line, text))


# Integer types as the inputs name them: bytes of one value.
TYPE_BYTES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "i64": 8, "f64": 8}
TYPE_C = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
          "i32": "int32_t", "i64": "int64_t", "f64": "double"}

HEAD_BYTES = 12  # struct tandem_record
CALL_BYTES = 24  # struct tandem_call_record


@dataclasses.dataclass(frozen=True)
class Names:
    """Named values of a type: an enumeration or a set of flags."""
    type: str
    values: tuple  # of (number, word)
    base: str = "u32"


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    type: str                 # of the value or of one element: a key of TYPE_BYTES
    kind: str = "uint"        # uint int hex enum flags float object op string
    object: str = "none"
    names: Names = None
    count_bytes: int = 0      # 0: fixed; 1 or 2: a variable field's count
    role: str = dataclasses.field(default="none", repr=False)  # TANDEM_ROLES

    @property
    def bytes(self):
        return TYPE_BYTES[self.type]

    @property
    def fixed_bytes(self):
        return self.count_bytes or self.bytes


@dataclasses.dataclass(frozen=True)
class Layout:
    base: int                 # bytes before the first field
    fields: tuple

    def offsets(self):
        at, all_of_them = self.base, []
        for field in self.fields:
            all_of_them.append(at)
            at += field.fixed_bytes
        return all_of_them

    @property
    def fixed_bytes(self):
        return self.base + sum(field.fixed_bytes for field in self.fields)


@dataclasses.dataclass(frozen=True)
class Traits:
    """What an event means beyond its class; words of src/schema/traits.h."""
    wait: str = "none"        # TANDEM_WAIT_SCOPES
    synchronous: str = "never"  # TANDEM_WHENS
    memory: str = "none"      # TANDEM_MEMORY_ROLES
    graph: bool = False
    signal: bool = False
    single: bool = False
    context: bool = False
    poll: object = None       # value of the field of role `query` that asks for completion;
                              # "always": all calls do
    record: str = "none"      # TANDEM_RECORD_ROLES


@dataclasses.dataclass(frozen=True)
class Event:
    id: int
    name: str
    layouts: tuple            # three, by argument level
    cls: str = "RECORD"
    results: Names = None
    has_result: bool = False
    traits: Traits = dataclasses.field(default=Traits(), repr=False)
    # False: the function returns no status, and what stands in its record's place for one means
    # nothing. The layout is the same, so the schema's identity (repr, hash_write) is too.
    returns_status: bool = dataclasses.field(default=True, repr=False)

    def retired(self, number, name):
        """An event of which only the number is left."""
        return dataclasses.replace(self, id=number, name=name)

    @property
    def shows_result(self):
        return self.has_result and self.returns_status


# Words of src/schema/traits.h, in its order.
CLASSES = ("call", "enqueue", "wait", "create", "release", "build", "query", "retain",
           "task", "callback")
WAITS = ("none", "queue", "device", "event", "all", "in_queue", "host")
WHENS = ("never", "argument", "always")
MEMORIES = ("none", "alloc", "free", "map", "unmap", "register", "unregister")
RECORDS = ("none", "device_limits", "task_construct", "task_node", "task_edge", "task_signal",
           "overhead", "fault", "module", "external_id", "description", "device_link")
# Those without which later records make no sense: a flight recorder keeps them.
LASTING = ("description", "device_limits", "device_link", "task_construct", "module")
ROLES = ("none", "op", "returned", "queue", "event", "events", "kernel", "memory", "memory_from",
         "memory_to", "bytes", "blocking", "query", "address", "source_text", "global", "local",
         "offset", "high", "task", "argument", "index",
         "destination", "source", "direction", "origin", "row")


class Roles:
    """Lines `role NAME[:KIND] ROLE` of a rules file: a field of that name (and, where KIND is
    given, of that kind, or of that type of object) that has no role by itself has this one."""

    def __init__(self):
        self.lines = []

    def add(self, words):
        name, _, kind = words[0].partition(":")
        if len(words) != 2 or words[1] not in ROLES:
            return False
        self.lines.append((name, kind, words[1]))
        return True

    def of(self, field):
        for name, kind, role in self.lines:
            if field.role == "none" and name == field.name and kind in ("", field.kind, field.object):
                return dataclasses.replace(field, role=role)
        return field

    def event(self, event):
        return dataclasses.replace(event, layouts=tuple(map(self.layout, event.layouts)))

    def layout(self, layout):
        """The layout with roles; a role is one field's only, the first's."""
        taken, fields = set(), []
        for field in layout.fields:
            made = self.of(field)
            if made.role in taken:
                made = dataclasses.replace(made, role="none")
            elif made.role != "none":
                taken.add(made.role)
            fields.append(made)
        return Layout(layout.base, tuple(fields))


def field_make(name, kind, base, count_bytes=0, object="none", names=None):
    """A field whose kind follows from its type unless it is given."""
    if kind is None:
        kind = {"i": "int", "f": "float"}.get(base[0], "uint")
    return Field(name, base, kind, object, names, count_bytes)


def fail(text):
    sys.stderr.write("apigen: %s\n" % text)
    sys.exit(1)
