# SPDX-License-Identifier: MIT
"""Joins an .api file with its rules where a runtime hands out tables of its functions, or
calls back with a struct of their arguments (HIP, HSA): the calls as events, the tables
by which core/call/arguments.h fills their records, and wrappers for the dispatch tables."""

import dataclasses
import os
import re

from called import Argument, Call, Function, Step, Steps, Version
from c_args import KEYWORDS, member, members
from c_text import declare, head
from domains import event_id
from model import Field, Names, SourceError

KEYS = ("basic", "noresult", "quiet", "hook", "custom", "nodevice")
# Steps of core/call/arguments.h that are the domain's: its objects.
OBJECTS = ("queue", "event", "kernel", "device", "memory", "program", "context")
FLAGS = (("quiet", "QUIET"), ("hook", "HOOK"), ("nodevice", "NO_DEVICE"))


class Api:
    """Lines `function`, further layouts of the same function (any other word), and places
    in dispatch tables."""

    def __init__(self, path, layouts=(), tables=()):
        self.enums, self.functions, self.sizes = {}, [], []
        self.tables = {name: [] for name in tables}      # name: [(place, function)]
        by_name, current, values = {}, None, None
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
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
            elif words[0] == "data":
                self.sizes.append((int(words[1]), int(words[2])))
            elif words[0] in self.tables:
                self.tables[words[0]].append((int(words[1]), words[2]))
            elif words[0] == "function" or words[0] in layouts:
                values, current = None, Version(int(words[1]), words[2], [], len(words) == 3)
                current.layout, current.returned = words[0], " ".join(words[4:])
                if words[0] == "function":
                    by_name[words[2]] = Function(words[2], [])
                    self.functions.append(by_name[words[2]])
                by_name[words[2]].versions.append(current)
            else:
                raise SourceError(path, number, "not understood")
        self.names = {name: Names(name, tuple({v: (v, w) for v, w in reversed(values)}.values()),
                                  "i32") for name, values in self.enums.items()}


class TabledCall(Call):
    """Handles of each type of object are steps of the domain's own; a host function's
    address can stand for its kernel: basic=kernel@ARGUMENT."""

    def basic_items(self):
        version, items = self.function.newest(), []
        for word in self.rule["basic"].split(",") if "basic" in self.rule else ():
            if "@" in word:
                what, argument = word.split("@")
                if version.argument(argument):
                    items.append((Field(what, "u32", "object", what), Step("SYMBOL", argument)))
            elif version.argument(word):
                items += self.argument_items(version.argument(word), True)
        return sorted(items, key=lambda item: item[0].count_bytes > 0)

    def argument_items(self, argument, wanted):
        name = self.rules.field_name(argument.name, argument.type, self.function.name)
        if argument.type in self.rules.objects:
            what = self.rules.objects[argument.type]
            if what in OBJECTS:
                yield Field(name, "u32", "object", what), Step(what.upper(), argument.name, None, 4)
                return
        if argument.kind == "struct" and argument.bytes == 8 and \
                argument.type not in self.rules.structs:
            yield Field(name, "u64", "hex"), Step("COPY", argument.name, None, 8)
            return
        yield from super().argument_items(argument, wanted)


def calls_make(api, rules, ids, results, fixed=True):
    """Functions that the vendor has numbered (fixed) keep its number."""
    calls = []
    for function in api.functions:
        number = function.versions[0].number
        number = ids.fixed(function.name, number) if number else ids.number(function.name)
        calls.append(TabledCall(function, number, api, rules, api.names[results]))
    return calls


def row(call, version, domain, steps):
    levels = []
    for level in range(3):
        made = call.steps(level, version)
        fixed = sum(field.fixed_bytes for field in call.fields(level))
        levels.append("{ %d, %d, %d }" % (steps.place(made), len(made), fixed))
    flags = ["ARGUMENTS_" + flag for key, flag in FLAGS if key in call.rule]
    if not version.returns_status:
        flags.append("ARGUMENTS_NO_STATUS")
    size = max((argument.offset + argument.bytes for argument in version.arguments), default=0)
    return "{ %d, TANDEM_CLASS_%s, %s, %d,\n\t\t{ %s } }, /* %s */" % (
        event_id(domain, call.number), call.cls.upper(), " | ".join(flags) or "0", size,
        ", ".join(levels), version.name)


def tables_c(domain, calls, api, sources, layouts=()):
    """gen/api.c: all functions by their events' numbers."""
    steps, out = Steps(), []
    rows = ["\t[%d] = %s" % (call.number, row(call, call.function.versions[0], domain, steps))
            for call in calls]
    out.append("const struct arguments_function %s_functions[] = {\n%s\n};\n"
               "const uint32_t %s_function_count =\n\tsizeof(%s_functions) / sizeof(%s_functions[0]);\n"
               % (domain, "\n".join(rows), domain, domain, domain))
    for layout in layouts:
        rows = ["\t[%d] = %s" % (call.number, row(call, version, domain, steps))
                for call in calls for version in call.function.versions if version.layout == layout]
        out.append("/* Those whose arguments lie elsewhere there; id 0: the others. */\n"
                   "const struct arguments_function %s_functions_%s[] = {\n%s\n};\n"
                   "const uint32_t %s_function_count_%s =\n\tsizeof(%s_functions_%s) / "
                   "sizeof(%s_functions_%s[0]);\n"
                   % (domain, layout, "\n".join(rows), *[domain, layout] * 3))
    names = "\n".join("\t[%d] = \"%s\"," % (call.number, call.function.name) for call in calls)
    out.append("const char *const %s_function_names[] = {\n%s\n};\n" % (domain, names))
    for major, size in api.sizes:
        out.append("const uint32_t %s_data_bytes_%d = %d;\n" % (domain, major, size))
    return """%s
#include "domains/%s/functions.h"

#include "schema/record.h"
#include "schema/schema.h"

const struct arguments_step %s_steps[] = {
%s
};

%s""" % (head("How the record of each call is filled from a struct of its arguments, by "
              "the number of its event.", sources), domain, domain,
       "\n".join("\t{ ARGUMENTS_%s, %d, %d }," % (kind, size, at)
                 for kind, at, _, size in steps.rows), "\n".join(out))


def ids_h(domain, calls, api, sources):
    guard = "TANDEM_DOMAINS_%s_GEN_IDS_H" % domain.upper()
    lines = [head("Numbers of the functions' events, and places in the dispatch tables.", sources),
             "#ifndef %s\n#define %s\n" % (guard, guard), "enum %s_id {" % domain]
    lines += ["\t%s_ID_%s = %d," % (domain.upper(), call.function.name, call.number) for call in calls]
    lines.append("};\n")
    for table, places in api.tables.items():
        lines.append("enum %s_%s_place {" % (domain, table))
        lines += ["\t%s_%s_%s = %d," % (domain.upper(), table.upper(), name, place)
                  for place, name in places]
        lines.append("};\n")
    return "\n".join(lines + ["#endif"]) + "\n"


def args_h(domain, calls, sources, what):
    """gen/args.h: a struct of each function's arguments, laid out as the steps read them."""
    guard = "TANDEM_DOMAINS_%s_GEN_ARGS_H" % domain.upper()
    body = [head(what, sources), "#ifndef %s\n#define %s\n" % (guard, guard),
            "#include <stddef.h>\n#include <stdint.h>\n"]
    for call in calls:
        lines = members(call.function.versions[0])
        if lines:
            body += ["struct %s_args_%s {" % (domain, call.function.name)]
            body += ["\t%s;" % line for line in lines] + ["};\n"]
    return "\n".join(body + ["#endif"]) + "\n"


# --- wrappers of a dispatch table

def struct_type(argument):
    word = 8 if argument.bytes % 8 == 0 else 4
    return "struct words%d_%d" % (word * 8, argument.bytes // word)


def parameter(argument):
    name = argument.name + "_" if argument.name in KEYWORDS else argument.name
    if argument.kind == "struct":
        return name, declare(struct_type(argument), name)
    return name, member(argument)


RETURNED = {"void": "void", "bool": "bool", "int": "int32_t", "unsigned": "uint32_t",
            "unsigned int": "uint32_t", "uint32_t": "uint32_t", "int64_t": "int64_t",
            "uint64_t": "uint64_t", "hsa_signal_value_t": "int64_t"}


def returned_type(version):
    """None: a struct, of which a wrapper can know nothing."""
    if version.returns_status:
        return "int32_t"
    if "*" in version.returned:
        return "void *"
    return RETURNED.get(version.returned)


def wrapper_parts(call):
    """Of its declaration: [(parameter, declaration)], what it returns, its type as a pointer (with %s)."""
    given = [parameter(argument) for argument in call.function.versions[0].arguments]
    types = ", ".join(re.sub(r"\b%s$" % name, "", text).strip() for name, text in given) or "void"
    returned = returned_type(call.function.versions[0])
    return given, returned, "%s (*%%s)(%s)" % (returned, types)


def wrapper(domain, call):
    version = call.function.versions[0]
    name, arguments = call.function.name, version.arguments
    given, returned, type_name = wrapper_parts(call)
    values = ", ".join(name_ for name_, _ in given)
    real = "real_(%s)" % values
    if "custom" in call.rule:
        real = "%s_custom_%s((void (*)(void))real_, &call_, &args_)" % (domain, name)
    lines = ["static %s wrap_%s(%s)" % (returned, name, ", ".join(text for _, text in given) or "void"), "{"]
    lines.append("\t%s = (%s)%s_real(%d);" % (type_name % "real_", type_name % "", domain, call.number))
    if given:
        lines.append("\tstruct %s_args_%s args_;" % (domain, name))
    lines.append("\tstruct %s_call call_;" % domain)
    if returned != "void":
        lines.append("\t%s returned_;" % returned)
    lines.append("")
    if "custom" not in call.rule:
        lines.append("\tif (tandem_likely(!%s_wrapped_recording()))" % domain)
        lines += ["\t\treturn real_(%s);" % values] if returned != "void" else \
            ["\t{", "\t\treal_(%s);" % values, "\t\treturn;", "\t}"]
    for (name_, _), argument in zip(given, arguments):
        if argument.kind == "struct":
            lines.append("\tmemcpy(args_.%s, &%s, sizeof(args_.%s));" % (name_, name_, name_))
        else:
            lines.append("\targs_.%s = %s;" % (name_, name_))
    at = "&args_" if given else "NULL"
    lines.append("\t%s_wrapped_begin(&call_, %d, %s);" % (domain, call.number, at))
    lines.append("\t%s%s;" % ("returned_ = " if returned != "void" else "", real))
    status = "returned_" if version.returns_status else "0"
    lines.append("\t%s_wrapped_end(&call_, %s, %s);" % (domain, at, status))
    if returned != "void":
        lines.append("\treturn returned_;")
    return "\n".join(lines + ["}\n"])


def exported(domain, call):
    """What programs bind to by the function's name: the wrapper, or the function itself."""
    given, returned, type_name = wrapper_parts(call)
    name, values = call.function.name, ", ".join(name_ for name_, _ in given)
    head_ = "%s %s(%s)" % (returned, name, ", ".join(text for _, text in given) or "void")
    lines = ["__attribute__((visibility(\"default\"))) %s;" % head_, head_, "{"]
    wrapped = "wrap_%s(%s)" % (name, values)
    symbol = "((%s)%s_symbol(%d))(%s)" % (type_name % "", domain, call.number, values)
    if returned == "void":
        lines += ["\tif (%s_by_symbol())" % domain, "\t\t%s;" % wrapped, "\telse", "\t\t%s;" % symbol]
    else:
        lines += ["\treturn %s_by_symbol() ? %s : %s;" % (domain, wrapped, symbol)]
    return "\n".join(lines + ["}\n"])


def wrappers_c(domain, calls, api, sources, export=False):
    """gen/wrappers.c. `export`: also by their names; without tables, all."""
    by_name = {call.function.name: call for call in calls
               if returned_type(call.function.versions[0])}
    tabled = [name for places in api.tables.values() for _, name in places if name in by_name] \
        if api.tables else list(by_name)
    structs = sorted({struct_type(argument) for name in tabled
                      for argument in by_name[name].function.versions[0].arguments
                      if argument.kind == "struct"})
    where = "What stands in the dispatch tables for the runtime's functions: each" if api.tables else "Each"
    out = [head(where + " call is "
                "recorded around the real one. Structs by value have the size and the class "
                "that they have for the compiler." +
                (" Programs bind to what is exported here by the functions' names." if export else ""),
                sources), """\
#include "domains/%s/wrappers.h"

#include <stdbool.h>
#include <string.h>

#include "domains/%s/gen/args.h"
""" % (domain, domain)]
    for name in structs:
        bits, count = re.match(r"struct words(\d+)_(\d+)", name).groups()
        out.append("%s {\n\tuint%s_t word[%s];\n};\n" % (name, bits, count))
    for name in tabled:
        out.append(wrapper(domain, by_name[name]))
        if export:
            out.append(exported(domain, by_name[name]))
    for table, places in api.tables.items():
        rows = "\n".join("\t{ %d, %d, (void (*)(void))wrap_%s }," % (place, by_name[name].number, name)
                         for place, name in places if name in by_name)
        out.append("const struct %s_wrapper %s_wrappers_%s[] = {\n%s\n};\n"
                   "const uint32_t %s_wrapper_count_%s =\n\tsizeof(%s_wrappers_%s) / "
                   "sizeof(%s_wrappers_%s[0]);\n" % (domain, domain, table, rows, *[domain, table] * 3))
    return "\n".join(out)
