#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No function of OpenCL's registry is forgotten, and none recorded as less than it
is. Looks at the description and at the generated C text, not at the generator."""
import os
import re
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
bad = 0


def text_of(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def check(wrong, words):
    global bad
    bad += bool(wrong)
    print("%sok - %s" % ("not " if wrong else "", words))
    for name in sorted(wrong):
        print("# %s" % name)


api = text_of("src/domains/opencl/opencl.api")
wrappers = text_of("src/domains/opencl/gen/wrappers.c")
custom = text_of("src/domains/opencl/gen/custom.h")
schema = text_of("src/schema/gen/opencl_schema.c")
functions = dict(re.findall(r"^fn \S+ (\w+)\((.*)\): ", api, re.M))
handles = set(re.findall(r"^type (\w+) handle$", api, re.M))
results = {name: result for result, name in re.findall(r"^fn (\S+) (\w+)\(", api, re.M)}
table = [name for name in re.findall(r"^icd (\w+)$", api, re.M) if name in functions]
extensions = set(functions) - set(table)
# id: class, name, and the layouts: { fixed bytes, field count, fields }
events = {name: (cls, re.findall(r"\{ (\d+), (\d+), (\w+) \}", layouts))
          for cls, name, layouts in re.findall(
              r"\{ \d+, TANDEM_CLASS_(\w+), \d, \"(\w+)\", &\w+, \{.*\},\n\t  \{(.*)\} \},",
              schema)}
fields = {symbol: re.findall(r"\{ \"(\w+)\", TANDEM_FIELD_(\w+)", body) for symbol, body in
          re.findall(r"struct tandem_field (\w+)\[\] = \{\n(.*?)\n\};", schema, re.S)}


def names(function, level):
    return [name for name, _ in fields.get(events[function][1][level][2], [])]


check(() if len(functions) > 200 else {"too few"}, "the description has %d functions" % len(functions))
check(set(functions) ^ set(events), "each has an event")
check([name for name in table if "EXPORT(%s);" % name not in wrappers
       or "[OPENCL_FN_%s] = (void *)wrap_%s," % (name, name) not in wrappers],
      "the %d of the dispatch table are wrapped and exported" % len(table))
slots = text_of("src/domains/opencl/gen/extensions.h")
included = re.findall(r"#define SLOT (\d)\n#define IN_SLOT\(name\) name##_s\1\n"
                      r'#include "domains/opencl/gen/extensions.h"', wrappers)
check([name for name in extensions if "(void *)IN_SLOT(wrap_%s)," % name not in slots]
      + ([] if included == list("0123") else ["slots: %s" % included]),
      "the %d extension functions are wrapped in each slot" % len(extensions))

# A command without an event can't be followed.
commands = {name for name in functions if name.startswith("clEnqueue")}
followed = {name for name in commands if "cl_event* event" in functions[name].split(", ")}
check((commands - followed) ^ {"clEnqueueBarrier", "clEnqueueWaitForEvents"},
      "every command but two has an event")
check([name for name in events if (events[name][0] == "ENQUEUE") != (name in followed)],
      "%d commands are class enqueue, and nothing else is" % len(followed))
check([name for name in followed if not re.search(
    r"opencl_command_begin\(&command,\s+OPENCL_EVENT_%s,\s+[^;]+, event\);(?:(?!\n\}).)*"
    r"opencl_command_end\(\s*&command,\s+\w+,\s+(?:TANDEM_OPERATION_KIND_\w+|opencl_shared_kind\([^;]+?\)),"
    % name, wrappers, re.S)],
      "each begins with queue and event and ends with its kind")
check([name for name in followed if [names(name, level)[:1] for level in range(3)] != [["op"]] * 3
       or "queue" not in names(name, 1)], "the operation is first in its record, then the queue")

made = {name for name, result in results.items() if result in handles}
check([name for name in made if events[name][0] not in ("CREATE", "BUILD")
       or names(name, 1)[:1] != ["returned"] or names(name, 2)[:1] != ["returned"]],
      "%d functions that return a handle create, and record it" % len(made))
check([name for name in made if "opencl_custom_%s(" % name not in custom and not re.search(
    r"body_%s\((?:(?!\n\}).)*opencl_end_(?:object|pointer)\(&call" % name, wrappers, re.S)],
      "each gives the object its number")

check([name for name in events if events[name][0] != "ENQUEUE" and events[name][1][0][0] != "24"],
      "24 bytes without arguments")
launch = int(events["clEnqueueNDRangeKernel"][1][1][0]) + 3 * 4 + 3 * 2
check({"%d bytes" % launch} if launch > 64 else (), "64 bytes for a launch in three dimensions")
experimental = set(re.findall(r"^fn \S+ (\w+)\(.* experimental$", api, re.M))
rules = text_of("src/domains/opencl/opencl.rules")
check([name for name in experimental if not re.search(r"^%s stable=" % name, rules, re.M)],
      "%d experimental functions say which parameters are stable" % len(experimental))
sys.exit(bad != 0)
