# SPDX-License-Identifier: MIT
"""Writes records.h and records.c: the functions that begin a call's record."""

from c_text import declare, head, params, wrap
from domains import event_id
from model import TYPE_C

BASIC, FULL = 1, 2  # argument levels


def begin_params(call):
    extra = ["struct tandem_call *call"]
    declared = [text for text in params(call.function) if text != "void"]
    return extra + declared + (["uint64_t op"] if call.cls == "enqueue" else [])


def begin_args(call):
    return (["call"] + [param.name for param in call.function.params]
            + (["op"] if call.cls == "enqueue" else []))


def struct_write(call, level, name):
    layout = call.layouts()[level]
    out = ["struct %s {" % name, "\tstruct tandem_call_record head;"]
    for field in layout.fields:
        if field.count_bytes:
            out.append("\tuint%d_t %s_count;" % (8 * field.count_bytes, field.name))
        else:
            out.append("\t%s;" % declare(TYPE_C[field.type], field.name))
    out.append("} __attribute__((packed));")
    out.append("_Static_assert(sizeof(struct %s) == %d, \"%s\");\n"
               % (name, layout.fixed_bytes, call.name))
    return out


def give(call, macro, first, depth):
    """The call's arguments for sinks (core/call/call.h)."""
    function = call.function
    if not function.params and function.c == "void":
        return None
    struct = "opencl_args_" + call.name
    returns = ["0", "0"]
    if function.c != "void":
        size = 4 if function.c in ("int32_t", "uint32_t") else 8
        returns = ["offsetof(struct %s, returned)" % struct, str(size)]
    values = [".%s = %s" % (param.name, param.name) for param in function.params] or ["0"]
    return wrap("%s(" % macro, first + [struct] + returns + values, ");", depth)


def none_write(call, depth):
    """What begins the record at the level `none`."""
    tabs = "\t" * depth
    name = "OPENCL_EVENT_" + call.name
    begin = "opencl_begin_none_op(call, %s, op);" % name if call.cls == "enqueue" else \
        "opencl_begin_none(call, %s);" % name
    after = give(call, "tandem_call_give", [], depth) or tabs + "tandem_record_given();"
    return [tabs + begin, after]


def fill_write(call, level, struct):
    """The statements that make one level's record; declarations first."""
    items = call.level_items(level)
    lists = [item for item in items if item.field.count_bytes]
    shape = any((item.count or "").startswith("shape.") for item in lists)
    declarations, out = ["\tstruct %s *record;" % struct], []
    if shape:
        declarations.append("\tstruct opencl_shape shape;")
    counted = [item for item in lists if not item.count.startswith("shape.")]
    if counted:
        declarations.append("\tuint32_t %s;" % ", ".join(item.field.name + "_n" for item in counted))
    if lists:
        declarations.append("\tuint8_t *at;")
    sizes = []
    for item in items:
        if not item.field.count_bytes and item.count:
            out.append("\t%s;" % item.count)
    for item in lists:
        if item.count.startswith("shape."):
            if item.bytes:
                sizes.append(item.bytes)
            continue
        n = item.field.name + "_n"
        out.append("\t%s = %s;" % (n, item.count))
        sizes.append(n if item.field.bytes == 1 else "%s * %du" % (n, item.field.bytes))
    total = " + ".join(["(uint32_t)sizeof(*record)"] + sizes)
    out.append(wrap("record = tandem_call_begin(", ["call", "OPENCL_EVENT_" + call.name, total], ");", 1))
    out.append("\tif (tandem_unlikely(!record))\n\t\treturn;")
    if call.cls == "enqueue":
        out.append("\trecord->op = op;")
    elif call.prefix and level:
        out.append("\trecord->returned = 0;")
    for item in items:
        field = item.field
        if not field.count_bytes:
            out.append("\trecord->%s = %s;" % (field.name, item.value))
        elif item.count.startswith("shape."):
            out.append("\trecord->%s_count = %s;" % (field.name, item.count))
        else:
            out.append("\trecord->%s_count = (uint%d_t)%s_n;"
                       % (field.name, 8 * field.count_bytes, field.name))
    puts = [item.put for item in lists if item.put]
    if puts:
        out.append("\tat = (uint8_t *)(record + 1);")
    for i, put in enumerate(puts):
        out.append("\t%s%s;" % ("at = " if i < len(puts) - 1 else "", put.replace("AT", "at")))
    out.append(give(call, "tandem_call_commit_args", ["call"], 1) or "\ttandem_call_commit(call);")
    return declarations, out


def plain(call, level):
    return "tandem_call_record" if not call.fields(level) else None


def levels_differ(call):
    layouts = call.layouts()
    return layouts[0] != layouts[1], layouts[1] != layouts[2]


def records_h(calls, sources):
    out = [head("For each function the record of one call: its id, its layout at the argument "
                "level `basic`, and opencl_begin_*(), which the wrapper calls before the real "
                "function. The other levels are in records.c.", sources), """\
#ifndef TANDEM_DOMAINS_OPENCL_GEN_RECORDS_H
#define TANDEM_DOMAINS_OPENCL_GEN_RECORDS_H

#include "core/call/args.h"
#include "core/call/call.h"
#include "core/control.h"
#include "domains/opencl/gen/args.h"
#include "domains/opencl/gen/next.h"
#include "domains/opencl/hooks.h"
#include "domains/opencl/calls/shape.h"
#include "schema/record.h"

enum opencl_event {"""]
    out += ["\tOPENCL_EVENT_%s = %d," % (call.name, event_id("opencl", call.id)) for call in calls]
    out.append("""\
};

/* A call without arguments, published, and the end of one that returns something: at the
 * level `none` there is no room for that in its record. */
#pragma GCC visibility push(hidden)
void opencl_begin_none(struct tandem_call *call, uint16_t id);
void opencl_begin_none_op(struct tandem_call *call, uint16_t id, uint64_t op);
#pragma GCC visibility pop

static inline void opencl_end_object(struct tandem_call *call, int32_t result, uint64_t end,
				     uint32_t number, const void *handle)
{
	if (tandem_unlikely(tandem_control.args_level == TANDEM_ARGS_NONE))
		call_end(call, result, end, NULL, 0, (uint64_t)(uintptr_t)handle);
	else
		tandem_call_end_object(call, result, end, number, handle);
}

static inline void opencl_end_pointer(struct tandem_call *call, int32_t result, uint64_t end,
				      uint64_t pointer, const void *handle)
{
	if (tandem_unlikely(tandem_control.args_level == TANDEM_ARGS_NONE))
		call_end(call, result, end, NULL, 0, (uint64_t)(uintptr_t)handle);
	else
		tandem_call_end_pointer(call, result, end, pointer, handle);
}
""")
    for call in calls:
        none_differs, full_differs = levels_differ(call)
        struct = plain(call, BASIC) or "opencl_basic_" + call.name
        if not plain(call, BASIC):
            out += struct_write(call, BASIC, struct)
        if full_differs:
            out.append("#pragma GCC visibility push(hidden)")
            out.append(wrap("void opencl_begin_rare_%s(" % call.name, begin_params(call), ");"))
            out.append("#pragma GCC visibility pop\n")
        out.append(wrap("static inline void opencl_begin_%s(" % call.name, begin_params(call), ")"))
        out.append("{")
        declarations, fill = fill_write(call, BASIC, struct)
        out += declarations + [""]
        test = "!= TANDEM_ARGS_BASIC" if none_differs and full_differs else \
            "== TANDEM_ARGS_FULL" if full_differs else "== TANDEM_ARGS_NONE"
        if full_differs:
            rare = wrap("opencl_begin_rare_%s(" % call.name, begin_args(call), ");", 2)
        else:
            rare = "\n".join(none_write(call, 2))
        if none_differs or full_differs:
            out.append("\tif (tandem_unlikely(tandem_control.args_level %s)) {" % test)
            out.append(rare)
            out.append("\t\treturn;\n\t}")
        out += fill + ["}\n"]
    out.append("#endif")
    return "\n".join(out) + "\n"


def records_c(calls, sources):
    out = [head("The records of calls at the argument levels `none` and `full`.", sources), """\
#include "domains/opencl/gen/records.h"

#define RARE __attribute__((noinline, cold))

void opencl_begin_none(struct tandem_call *call, uint16_t id)
{
	if (tandem_call_begin(call, id, sizeof(struct tandem_call_record)))
		tandem_record_publish();
}

struct opencl_none_op {
	struct tandem_call_record head;
	uint64_t op;
} __attribute__((packed));

void opencl_begin_none_op(struct tandem_call *call, uint16_t id, uint64_t op)
{
	struct opencl_none_op *record = tandem_call_begin(call, id, sizeof(*record));

	if (tandem_unlikely(!record))
		return;
	record->op = op;
	tandem_record_publish();
}
"""]
    for call in calls:
        none_differs, full_differs = levels_differ(call)
        if not full_differs:
            continue
        struct = "opencl_full_" + call.name
        out += struct_write(call, FULL, struct)
        out.append(wrap("RARE void opencl_begin_rare_%s(" % call.name, begin_params(call), ")"))
        out.append("{")
        declarations, fill = fill_write(call, FULL, struct)
        out += declarations + [""]
        if none_differs:
            out.append("\tif (tandem_control.args_level == TANDEM_ARGS_NONE) {")
            out += none_write(call, 2)
            out.append("\t\treturn;\n\t}")
        out += fill + ["}\n"]
    return "\n".join(out)
