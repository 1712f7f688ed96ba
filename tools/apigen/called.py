# SPDX-License-Identifier: MIT
"""Joins cuda.api with cuda.rules: the calls of functions that a tools library reports, as
events, and the tables by which the domain fills their records (src/domains/cuda/gen/).

An event stands for all versions of a function: cuMemAlloc is cuMemAlloc_v2 too.
Each version's callback id has its own places of the arguments."""

import dataclasses
import re

from domains import event_id
from model import CALL_BYTES, TYPE_BYTES, Event, Field, Layout, Names, SourceError

VERSION = re.compile(r"(_ptds|_ptsz|_v\d+)+$")
# Without a context of its own a thread's stream 0 means another stream.
PER_THREAD = re.compile(r"_pt[ds][sz](_|$)")
VALUES = {("int", 1): "u8", ("int", 2): "i32", ("int", 4): "i32", ("int", 8): "i64",
          ("uint", 1): "u8", ("uint", 2): "u16", ("uint", 4): "u32", ("uint", 8): "u64",
          ("float", 8): "f64", ("pointer", 8): "u64", ("text", 8): "u64"}
# A rule's keys beyond those that all back ends have (rules.py).
KEYS = ("basic", "noresult", "quiet", "query", "hook", "content", "content_read",
        "content_later", "content_rows", "content_array", "content_box", "content_box_later")
# What every call's record has already.
TAKEN = {"result", "end", "op"}
# Steps of src/domains/cuda/calls/call.c.
OBJECT_STEPS = {"queue": "QUEUE", "event": "EVENT", "kernel": "KERNEL"}
COPY_MOST = 64
# What is 0 where an enqueue has nothing to do, and the device never hears of it.
SIZES = ("ByteCount", "count", "N", "width", "height", "Width", "Height")
SIZES_MOST = 2


@dataclasses.dataclass(frozen=True)
class Argument:
    offset: int
    bytes: int
    kind: str
    name: str
    type: str


@dataclasses.dataclass
class Version:
    """One callback id."""
    number: int
    name: str
    arguments: list
    returns_status: bool = True

    def argument(self, name):
        return next((a for a in self.arguments if a.name == name), None)


@dataclasses.dataclass
class Function:
    name: str
    versions: list

    def newest(self):
        """The version whose arguments give the record its fields."""
        return max(self.versions, key=lambda v: (len(v.arguments) > 0, v.number))


@dataclasses.dataclass(frozen=True)
class Step:
    kind: str
    argument: str = None      # None: nothing is read
    inside: int = None        # offset behind the argument, a pointer
    bytes: int = 0
    at: int = 0               # offset in the argument


class Api:
    def __init__(self, path):
        self.enums, self.functions = {}, {"driver": [], "runtime": []}
        by_name, current, values = {}, None, None
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            line = line.rstrip("\n")
            words = line.split()
            if not words or words[0] == "#":
                continue
            if line[0] == "\t" and values is not None:
                values.append((int(words[0]), words[1]))
            elif line[0] == "\t":
                current.arguments.append(Argument(int(words[0]), int(words[1]), words[2], words[3],
                                                  " ".join(words[4:])))
            elif words[0] == "enum":
                values = self.enums.setdefault(words[1], [])
            elif words[0] in self.functions:
                values, current = None, Version(int(words[1]), words[2], [], len(words) == 3)
                if words[3:4] not in ([], ["returns"]):
                    raise SourceError(path, number, "not understood")
                name = VERSION.sub("", words[2])
                if (words[0], name) not in by_name:
                    by_name[words[0], name] = Function(name, [])
                    self.functions[words[0]].append(by_name[words[0], name])
                by_name[words[0], name].versions.append(current)
            else:
                raise SourceError(path, number, "not understood")
        # A word may stand twice for one value: the first is the API's own.
        self.names = {name: Names(name, tuple({v: (v, w) for v, w in reversed(values)}.values()),
                                  "i32") for name, values in self.enums.items()}


class Call:
    """An event: its fields at each level, and the steps that fill them."""

    def __init__(self, function, number, api, rules, results):
        self.function, self.number, self.rules = function, number, rules
        self.rule = rule = rules.of(function.name)
        self.cls = rule.get("class", "call")
        self.quiet, self.query, self.hook = "quiet" in rule, "query" in rule, "hook" in rule
        self.has_result = "noresult" not in rule
        self.results, self.api = results, api
        basic = self.basic_items()
        known = {field.name for field, _ in basic}
        full = basic + [item for item in self.rest_items() if item[0].name not in known]
        # What has a variable length stands last in a record.
        self.items = ([], basic, sorted(full, key=lambda item: item[0].count_bytes > 0))

    def basic_items(self):
        version, items = self.function.newest(), []
        for word in self.rule["basic"].split(",") if "basic" in self.rule else ():
            if word == "kernel":
                items.append((Field("kernel", "u32", "object", "kernel"), Step("KERNEL")))
            elif "=" in word:
                name, base, argument, offset = re.match(r"(\w+):(\w+)=(\w+)\+(\d+)$", word).groups()
                items.append(self.inside(name, base, argument, int(offset)))
            elif version.argument(word):
                items += self.argument_items(version.argument(word), True)
        return sorted(items, key=lambda item: item[0].count_bytes > 0)

    def rest_items(self):
        items = []
        for argument in self.function.newest().arguments:
            items += self.argument_items(argument, False)
        return items

    def inside(self, name, base, argument, offset):
        if base in OBJECT_STEPS:
            return Field(name, "u32", "object", base), Step(OBJECT_STEPS[base], argument, offset, 4)
        if base in self.api.names:
            return Field(name, "i32", "enum", names=self.api.names[base]), Step("COPY", argument, offset, 4)
        if base == "address":
            return Field(name, "u64", "hex"), Step("COPY", argument, offset, 8)
        return Field(name, base, "uint"), Step("COPY", argument, offset, TYPE_BYTES[base])

    def argument_items(self, argument, wanted):
        name = self.rules.field_name(argument.name, argument.type, self.function.name)
        if name in TAKEN:
            name += "_at"
        if argument.type in self.rules.objects:
            what = self.rules.objects[argument.type]
            yield Field(name, "u32", "object", what), Step(OBJECT_STEPS[what], argument.name, None, 4)
        elif argument.kind == "struct":
            at = 0
            for field, base in self.rules.structs.get(argument.type, []):
                kind = "int" if base[0] == "i" else "uint"
                yield (Field("%s_%s" % (name, field), base, kind),
                       Step("COPY", argument.name, None, TYPE_BYTES[base], at))
                at += TYPE_BYTES[base]
        elif argument.kind == "text" and argument.name not in self.rules.pointers:
            yield Field(name, "u8", "string", count_bytes=2), Step("TEXT", argument.name)
        elif argument.type in self.api.names:
            yield (Field(name, "i32", "enum", names=self.api.names[argument.type]),
                   Step("COPY", argument.name, None, 4))
        elif (argument.kind, argument.bytes) in VALUES:
            base = VALUES[argument.kind, argument.bytes]
            kind = "hex" if argument.kind == "pointer" or argument.type.startswith("CUdeviceptr") else \
                {"i": "int", "f": "float"}.get(base[0], "uint")
            yield Field(name, base, kind), Step("COPY", argument.name, None, argument.bytes)

    def sizes(self, version):
        if self.cls != "enqueue":
            return []
        return [a.offset for a in version.arguments
                if a.name in SIZES and (a.kind, a.bytes) == ("uint", 8)][:SIZES_MOST]

    def box(self, version):
        """The struct that says what is copied. The driver's first version has another one."""
        if "content_box" in self.rule or "content_box_later" in self.rule:
            found = re.match(r"const (?:struct )?(cudaMemcpy3DParms|CUDA_MEMCPY[23]D) \*$", version.arguments[0].type)
            return found and found[1]
        return None

    def fields(self, level):
        first = (Field("op", "u64", "op", role="op"),) if self.cls == "enqueue" else ()
        return first + tuple(field for field, _ in self.items[level])

    def event(self):
        layouts = tuple(self.rules.roles.layout(Layout(CALL_BYTES, self.fields(level)))
                        for level in range(3))
        return Event(self.number, self.function.name, layouts, self.cls.upper(), self.results,
                     self.has_result,
                     self.rules.traits(self.function.name, self.rule, self.cls),
                     self.function.newest().returns_status)

    def steps(self, level, version):
        """(kind, offset in the arguments, offset behind, bytes) for each field."""
        made = []
        for field, step in self.items[level]:
            argument = version.argument(step.argument) if step.argument else None
            if step.argument and (not argument or (step.inside is not None and
                                                   argument.type != self.function.newest().argument(step.argument).type) or
                                                  (step.kind == "COPY" and step.inside is None and
                                                   argument.kind != "struct" and
                                                   argument.bytes != step.bytes)):
                made.append(("ZERO", 0, None, field.fixed_bytes))
            elif step.kind == "COPY":
                at = argument.offset + step.at
                last = made[-1] if made else None
                if last and last[0] == "COPY" and step.inside is None and last[2] is None and \
                        last[1] + last[3] == at and last[3] + step.bytes <= COPY_MOST:
                    made[-1] = ("COPY", last[1], None, last[3] + step.bytes)
                else:
                    made.append(("COPY", at, step.inside, step.bytes))
            else:
                made.append((step.kind, argument.offset if argument else 0, step.inside,
                             field.fixed_bytes))
        return tuple(made)


def calls_make(api, rules, which, ids, results):
    return [Call(function, ids.number(function.name), api, rules, api.names[results])
            for function in api.functions[which]]


class Steps:
    """One table of all steps; equal runs of steps are stored once."""

    def __init__(self):
        self.rows, self.known = [], {}

    def place(self, steps):
        if steps not in self.known:
            self.known[steps] = len(self.rows)
            self.rows += steps
        return self.known[steps] if steps else 0


def steps_text(steps):
    return "\n".join("\t{ CUDA_STEP_%s, %d, %d, %s }," %
                     (kind, size, at, "CUDA_STEP_DIRECT" if inside is None else inside)
                     for kind, at, inside, size in steps.rows)


def table_write(calls, domain, which, steps):
    rows = {}
    for call in calls:
        for version in call.function.versions:
            levels = []
            for level in range(3):
                made = call.steps(level, version)
                fixed = sum(field.fixed_bytes for field in call.fields(level))
                levels.append("{ %d, %d, %d }" % (steps.place(made), len(made), fixed))
            flags = [word for word, on in (("CUDA_QUIET", call.quiet),
                                           ("CUDA_QUERY", call.query),
                                           ("CUDA_HOOK", call.hook),
                                           ("CUDA_CONTENT", "content" in call.rule and call.sizes(version)),
                                           ("CUDA_CONTENT_READ", "content_read" in call.rule and call.sizes(version)),
                                           ("CUDA_CONTENT_LATER", "content_later" in call.rule and call.sizes(version)),
                                           ("CUDA_CONTENT_ROWS", "content_rows" in call.rule),
                                           ("CUDA_CONTENT_ARRAY", "content_array" in call.rule),
                                           ("CUDA_CONTENT_BOX", "content_box" in call.rule and call.box(version)),
                                           ("CUDA_CONTENT_BOX_LATER", "content_box_later" in call.rule and call.box(version)),
                                           ("CUDA_CONTENT_DRIVER_2D", call.box(version) == "CUDA_MEMCPY2D"),
                                           ("CUDA_CONTENT_DRIVER_3D", call.box(version) == "CUDA_MEMCPY3D"),
                                           ("CUDA_WAITS_QUEUE", call.rule.get("wait") == "queue"),
                                           ("CUDA_WAITS_DEVICE", call.rule.get("wait") == "device"),
                                           ("CUDA_PER_THREAD", PER_THREAD.search(version.name)),
                                           ("CUDA_NO_STATUS", not version.returns_status))
                     if on]
            sizes = ", ".join(map(str, call.sizes(version)))
            rows[version.number] = "\t[%d] = { %d, %s, TANDEM_CLASS_%s,\n" \
                "\t\t{ %s }, { %s } }, /* %s */" % (
                    version.number, event_id(domain, call.number), " | ".join(flags) or "0", call.cls.upper(),
                    ", ".join(levels), sizes or "0", version.name)
    return "const struct cuda_api cuda_%s_api[] = {\n%s\n};\n" \
        "const uint32_t cuda_%s_api_count = sizeof(cuda_%s_api) / sizeof(cuda_%s_api[0]);\n" % (
            which, "\n".join(rows[number] for number in sorted(rows)), which, which, which)


def ids_write(calls, domain, which):
    """Names for what the domain's own code needs: events and callback ids."""
    out = ["enum cuda_%s_id {" % which]
    for call in calls:
        for version in call.function.versions:
            out.append("\tCUDA_%s_%s = %d," % (which.upper(), version.name, version.number))
    return "\n".join(out + ["};"])


def tables_h(driver, runtime, sources):
    return """/* Generated by tools/apigen from %s: do not edit.
 *
 * CUPTI's callback ids, by the names of the functions' versions. */
#ifndef TANDEM_DOMAINS_CUDA_GEN_IDS_H
#define TANDEM_DOMAINS_CUDA_GEN_IDS_H

%s

%s

#endif
""" % (" and ".join(sources), ids_write(driver, "cuda", "driver"),
       ids_write(runtime, "cudart", "runtime"))


def tables_c(driver, runtime, sources):
    steps = Steps()
    tables = [table_write(driver, "cuda", "driver", steps),
              table_write(runtime, "cudart", "runtime", steps)]
    return """/* Generated by tools/apigen from %s: do not edit.
 *
 * How the record of each call is filled, by CUPTI's callback id. */
#include "domains/cuda/api.h"

#include "schema/record.h"
#include "schema/schema.h"

const struct cuda_step cuda_steps[] = {
%s
};

%s
%s""" % (" and ".join(sources), steps_text(steps), tables[0], tables[1])
