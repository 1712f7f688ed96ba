# SPDX-License-Identifier: MIT
"""Joins an API description with its rules into the calls of wrapped functions: what each
records, when, and the C expressions that fill it."""

import dataclasses
import fnmatch
import re

from api import BITS, Param
from model import (CALL_BYTES, HEAD_BYTES, TYPE_BYTES, Event, Field, Layout, Names, Roles, Traits)

# A rule's keys beyond those that all back ends have (rules.py).
KEYS = ("custom", "test", "kind", "bytes", "kernel", "queue", "event", "created", "before", "after",
        "shape", "counts", "stable", "arg.", "field.")
# Lists: element type in the record, kind of the field.
LISTS = {"sizes": ("u64", "uint"), "u64s": ("u64", "uint"), "u32s": ("u32", "uint"),
         "bytes": ("u8", "hex"), "pointers": ("u64", "hex"), "pairs": ("u64", "hex"),
         "list0": ("u64", "hex"), "text": ("u8", "string"), "texts": ("u8", "string"),
         "ops": ("u64", "op"), "objects": ("u32", "object")}


@dataclasses.dataclass
class Item:
    """One thing that a record holds: its field and the C that fills it."""
    field: Field
    basic: bool
    value: str = None         # C expression of a fixed field
    count: str = None         # C expression of a variable field's element count
    put: str = None           # C call that writes the elements; AT is the place
    bytes: str = None         # C expression of the elements' bytes, if not count * size


@dataclasses.dataclass
class Call:
    """A function of the API with everything that is generated for it."""
    function: object
    number: int
    extension: bool
    cls: str
    rule: dict
    items: list
    returned: str = None      # None, "object", "op" or "pointer"
    object: str = "none"      # type of the returned object
    prefix: tuple = ()        # fields that come first: op or returned
    roles: Roles = None
    id: int = 0               # of its event
    traits: Traits = Traits()

    @property
    def name(self):
        return self.function.name

    def level_items(self, level):
        return [item for item in self.items if level == 2 or level == 1 and item.basic]

    def fields(self, level):
        first = self.prefix if level or self.cls == "enqueue" else ()
        return first + tuple(item.field for item in self.level_items(level))

    def layouts(self):
        return tuple(self.roles.layout(Layout(CALL_BYTES, self.fields(level)))
                     for level in range(3))


class Maker:
    def __init__(self, api, rules):
        self.api, self.rules = api, rules

    def fail(self, function, text):
        self.rules.fail(self.rules.of(function.name), function.name, text)

    def rule(self, function):
        rule = self.rules.of(function.name)
        for key, value in rule.items():
            part, _, name = key.partition(".")
            if part == "arg" and not function.param(name):
                self.fail(function, "no parameter %s" % name)
            if key != "line":
                rule[key] = re.sub(r"\bFN\b", "OPENCL_FN_" + function.name, value)
        return rule

    def call(self, function, number, extension):
        rule = self.rule(function)
        function = self.stable(function, rule)
        handle = self.api.base(function.type) == "handle"
        cls = rule.get("class", "create" if handle else "call")
        blocking = any(param.name.startswith("blocking") for param in function.params)
        call = Call(function, number, extension, cls, rule, [], roles=self.rules.roles,
                    traits=self.rules.traits(function.name, rule, cls, "argument" if
                                             cls == "enqueue" and blocking else "never"))
        if cls == "enqueue":
            if "kind" not in rule:
                self.fail(function, "a command needs a kind")
            if not self.queue(call) or not function.param("event"):
                self.fail(function, "a command needs a queue and an event")
            call.prefix = (Field("op", "u64", "op", role="op"),)
        elif function.c == "void *":
            self.returned(call)
        self.items(call)
        names = [field.name for field in call.fields(2)]
        for name in names:
            if names.count(name) > 1:
                self.fail(function, "two fields %s" % name)
        return call

    def stable(self, function, rule):
        """Revisions of an experimental extension differ in their parameters, and a program and
        its driver may use an older one than the registry has. Parameters that are not the same
        in all of them are words: passed on as they come, whatever their type is."""
        stable = rule.get("stable", "0" if function.experimental else "all")
        if stable == "all":
            return function
        params = list(function.params)
        for at in range(int(stable), len(params)):
            params[at] = Param("word", "word%d" % at, "uint64_t")
        return dataclasses.replace(function, params=tuple(params))

    def queue(self, call):
        if "queue" in call.rule:
            return call.rule["queue"]
        param = call.function.param("command_queue")
        return param.name if param else None

    def returned(self, call):
        type_name = call.function.type
        if type_name in self.rules.ops:
            call.returned = "op"
            call.prefix = (Field("returned", "u64", "op", role="returned"),)
        elif type_name in self.rules.objects:
            call.returned, call.object = "object", self.rules.objects[type_name]
            call.prefix = (Field("returned", "u32", "object", call.object, role="returned"),)
        else:
            call.returned = "pointer"
            call.prefix = (Field("returned", "u64", "hex", role="returned"),)

    def items(self, call):
        rule, function = call.rule, call.function
        shape = rule["shape"].split(",") if "shape" in rule else []
        counts = int(rule.get("counts", 2))
        lists = {}  # count parameter: the list it counts is in the basic record
        if "queue" in rule:
            call.items.append(Item(Field("queue", "u32", "object", "queue"), True,
                                   value="tandem_object_number(TANDEM_KIND(opencl, queue), %s)" % rule["queue"]))
        for at, param in enumerate(function.params):
            if shape and param.name == shape[0]:
                call.items += shape_items(shape)
            if param.name in shape:
                continue
            made = self.param_items(call, param, function.params[at - 1] if at else None, counts, lists)
            call.items += made
        for key, value in rule.items():
            if key.startswith("field."):
                base, _, expression = value.partition(" ")
                call.items.append(Item(Field(key[6:], base), True, value=expression))
        for item in call.items:
            name = item.value
            if name in lists and lists[name] and name.startswith("num_") \
                    and "arg." + name not in rule:
                item.basic = False

    def param_items(self, call, param, before, counts, lists):
        spec = dict(level=None, name=self.rules.field_name(param.name, param.type), enum=None, list=None)
        for word in call.rule.get("arg." + param.name, "").split(","):
            match = re.match(r"(\w+)(?:\[(.*)\]|:(\w+))?$", word)
            if not word:
                continue
            if word in ("basic", "full"):
                spec["level"] = word
            elif match and match.group(1) == "name":
                spec["name"] = match.group(3)
            elif match and match.group(1) in ("enum", "flags"):
                spec["enum"] = match.group(3)
            elif match and match.group(1) in LISTS:
                spec["list"] = (match.group(1), match.group(2))
            elif word in ("struct", "pointer"):
                spec["list"] = (word, None)
            else:
                self.fail(call.function, "what is %s?" % word)
        if param.is_pointer:
            return self.pointer_items(call, param, before, counts, lists, spec)
        return [self.scalar_item(param, spec)]

    def scalar_item(self, param, spec):
        basic, value = spec["level"] != "full", param.name
        if param.type == "word":
            return Item(Field(spec["name"], "u64", "hex"), False, value=value)
        if param.name in self.rules.full and spec["level"] is None:
            basic = False
        if param.type in self.rules.ops:
            field, value = Field(spec["name"], "u64", "op"), "tandem_event_op(TANDEM_KIND(opencl, event), %s)" % value
        elif param.type in self.rules.objects:
            kind = self.rules.objects[param.type]
            field = Field(spec["name"], "u32", "object", kind)
            value = "tandem_object_number(TANDEM_KIND(opencl, %s), %s)" % (kind, value)
        elif param.c == "void *":
            basic = spec["level"] == "basic"
            field, value = Field(spec["name"], "u64", "hex"), "(uintptr_t)" + value
        elif param.type in self.rules.bools:
            names = self.api.names[param.type][1]
            field = Field(spec["name"], "u8", "enum", names=Names(names.type, names.values, "u8"))
            value = "%s != 0" % value
        else:
            kind, names = self.api.names.get(spec["enum"] or param.type, (None, None))
            bits = BITS[param.c]
            field = Field(spec["name"], bits, kind or ("int" if bits[0] == "i" else "uint"),
                          names=names)
        return Item(field, basic, value=value)

    def pointer_items(self, call, param, before, counts, lists, spec):
        kind, length = spec["list"] or self.list_default(param, before)
        if kind == "struct":
            return self.struct_items(param, spec)
        if kind == "pointer":
            return [Item(Field(spec["name"], "u64", "hex"), spec["level"] == "basic",
                         value="(uintptr_t)" + param.name)]
        basic = spec["level"] == "basic" or spec["level"] is None and kind in ("ops", "objects")
        element, field_kind = LISTS[kind]
        object_type = self.rules.objects[param.pointee] if kind == "objects" else "none"
        if kind in ("objects", "ops"):
            most = "ARGS_MAX"
        else:
            most = "args_cut(%d)" % TYPE_BYTES[element]
        field = Field(spec["name"], element, field_kind, object_type, None,
                      counts if kind in ("objects", "ops") else 2)
        n, name = spec["name"] + "_n", param.name
        put = "args_bytes_put(AT, %s, %s)" % (name, n if field.bytes == 1
                                              else "%s * %du" % (n, field.bytes))
        if kind == "pairs":
            count = "args_pairs_count(%s, %s)" % (name, most)
        elif kind == "list0":
            count = "args_list0_count(%s, %s)" % (name, most)
        elif kind == "text":
            count = "args_text_count(%s, %s)" % (name, most)
        elif kind == "texts":
            number, lengths = length.split(";")
            count = "args_texts_count(%s, %s, %s, %s)" % (number, name, lengths, most)
            put = "args_texts_put(AT, %s, %s, %s, %s)" % (number, name, lengths, n)
        else:
            count = "args_count(%s, %s, %s)" % (length, name, most)
            lists[length] = lists.get(length, False) or basic
        if kind == "ops":
            put = "args_ops_put(AT, TANDEM_KIND(opencl, event), %s, %s)" % (name, n)
        elif kind == "objects":
            put = "args_objects_put(AT, TANDEM_KIND(opencl, %s), %s, %s)" % (object_type, name, n)
        return [Item(field, basic, count=count, put=put)]

    def list_default(self, param, before):
        """What a pointer is when no rule says it."""
        if param.type == "callback" or not param.type.startswith("const "):
            return "pointer", None
        pointee = param.pointee
        if param.type == "const char*":
            return "text", None
        if param.type.count("*") > 1:
            return "pointer", None
        if any(fnmatch.fnmatch(pointee, pattern) for pattern in self.rules.pairs):
            return "pairs", None
        if pointee in self.api.structs:
            return "struct", None
        counted = before is not None and before.name.startswith("num_") and not before.is_pointer
        if counted and pointee in self.rules.ops:
            return "ops", before.name
        if counted and pointee in self.rules.objects:
            return "objects", before.name
        if counted and self.api.base(pointee) == "uint32_t":
            return "u32s", before.name
        return "pointer", None

    def struct_items(self, param, spec):
        items = []
        for type_name, member in self.api.structs[param.pointee]:
            at = "((const struct opencl_%s *)%s)->%s" % (param.pointee, param.name, member)
            if type_name in self.rules.objects:
                kind = self.rules.objects[type_name]
                value = "tandem_object_number(TANDEM_KIND(opencl, %s), %s)" % (kind, at)
                field = Field(member, "u32", "object", kind)
            else:
                kind, names = self.api.names.get(type_name, (None, None))
                field = Field(member, self.api.bits(type_name), kind or "uint", names=names)
                value = at
            items.append(Item(field, spec["level"] != "full", value="%s ? %s : 0" % (param.name, value)))
        return items


def shape_items(shape):
    """A launch's index space (opencl/calls/shape.h): small sizes in few bytes."""
    read = "opencl_shape_read(&shape, %s)" % ", ".join(shape)
    items = [Item(Field("work_dim", "u8"), True, value="(uint8_t)" + shape[0])]
    for name, element, member in (("global", "u32", "globals"), ("local", "u16", "locals"),
                                  ("offset", "u32", "offsets"), ("high", "u32", "highs")):
        items.append(Item(Field(name, element, count_bytes=1, role=name), True,
                          count="shape." + member))
    items[1].put, items[1].bytes = "opencl_shape_put(AT, &shape)", "opencl_shape_bytes(&shape)"
    items[0].count = read  # a statement that comes before the counts
    return items


def calls_make(api, rules, ids):
    """All calls in the order of their numbers: the dispatch table, then the others by name."""
    by_name = {function.name: function for function in api.functions}
    table = [name for name in api.icd if name in by_name]
    others = sorted(name for name in by_name if name not in table)
    maker = Maker(api, rules)
    calls = [maker.call(by_name[name], number, number >= len(table))
             for number, name in enumerate(table + others)]
    for call in calls:
        call.id = ids.number(call.name)
    return calls


def events_make(calls, api, rules):
    """The events of the domain; number 0 is none of them."""
    empty = Layout(HEAD_BYTES, ())
    events = [Event(0, "none", (empty, empty, empty))]
    results = {type_name: api.names[enum][1] for type_name, enum in rules.results.items()}
    for call in calls:
        result = results.get(call.function.type)
        param = call.function.param("errcode_ret")
        if param:
            result = results[param.pointee]
        events.append(Event(call.id, call.name, call.layouts(), call.cls.upper(),
                            result or next(iter(results.values())), result is not None,
                            call.traits))
    return events
