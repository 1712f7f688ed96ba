# SPDX-License-Identifier: MIT
"""Reads an API description (opencl.api): functions, types and named values."""

import dataclasses
import re

from model import Names, SourceError

LOWERED = {"unsigned int": "uint32_t", "int": "int32_t", "unsigned char": "uint8_t"}
BITS = {"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
        "int32_t": "i32", "int64_t": "i64", "size_t": "u64", "intptr_t": "i64"}


@dataclasses.dataclass(frozen=True)
class Param:
    type: str                 # as the API spells it; "callback" for a function pointer
    name: str
    c: str                    # the type with which it crosses the ABI

    @property
    def is_pointer(self):
        return "*" in self.type or self.type == "callback"

    @property
    def pointee(self):
        """The type pointed to, without const."""
        return re.sub(r"^const ", "", self.type[:self.type.index("*")]).strip()


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    type: str                 # of the result
    c: str
    params: tuple
    source: str               # "core 1.2" or "ext cl_khr_icd"
    experimental: bool = False

    def param(self, name):
        for param in self.params:
            if param.name == name:
                return param
        return None


class Api:
    def __init__(self, path):
        self.types, self.structs, self.names, self.functions, self.icd = {}, {}, {}, [], []
        group = None
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            line = line.rstrip("\n")
            if line.startswith("\t"):
                word, value = line.split()
                group.append((int(value, 0), word))
                continue
            kind, _, rest = line.partition(" ")
            if kind == "type":
                name, _, self.types[name] = rest.partition(" ")
            elif kind == "struct":
                name, _, members = rest.partition(": ")
                self.structs[name] = [tuple(member.rsplit(" ", 1)) for member in members.split("; ")]
            elif kind in ("enum", "flags"):
                group = []
                self.names[rest] = (kind, group)
            elif kind == "fn":
                self.functions.append(self.function_read(path, number, rest))
            elif kind == "icd":
                self.icd.append(rest)
            elif line and kind != "#":
                raise SourceError(path, number, "not understood")
        self.names = {name: (kind, Names(name, tuple(values), self.bits(name)))
                      for name, (kind, values) in self.names.items()}

    def base(self, type_name):
        """The C type or `handle` behind a typedef."""
        while type_name in self.types:
            type_name = self.types[type_name]
        return LOWERED.get(type_name, type_name)

    def bits(self, type_name):
        """The width of a value in a record; an enumeration without a type is an int."""
        return BITS.get(self.base(type_name), "i32")

    def lower(self, type_name):
        if type_name == "callback":
            return "void *"
        if "*" in type_name:
            return "const void *" if type_name.startswith("const ") else "void *"
        base = self.base(type_name)
        return "void *" if base == "handle" else base

    def function_read(self, path, number, text):
        match = re.match(r"(.*?) ?(\w+)\((.*)\): (\w+ [\w.]+)( experimental)?$", text)
        if not match:
            raise SourceError(path, number, "not a function")
        result, name, params, source, experimental = match.groups()
        read = []
        for param in params.split(", ") if params else []:
            param_type, _, word = param.rpartition(" ")
            read.append(Param(param_type, word, self.lower(param_type)))
        return Function(name, result, self.lower(result), tuple(read), source,
                        bool(experimental))
