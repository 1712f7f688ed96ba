"""What every table here is about: fields, layouts and events.

The same model is filled from src/schema/core.events (core.py) and from an API
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
class Event:
    id: int
    name: str
    layouts: tuple            # three, by argument level
    cls: str = "RECORD"
    results: Names = None
    has_result: bool = False


def field_make(name, kind, base, count_bytes=0, object="none", names=None):
    """A field whose kind follows from its type unless it is given."""
    if kind is None:
        kind = {"i": "int", "f": "float"}.get(base[0], "uint")
    return Field(name, base, kind, object, names, count_bytes)


def fail(text):
    sys.stderr.write("apigen: %s\n" % text)
    sys.exit(1)
