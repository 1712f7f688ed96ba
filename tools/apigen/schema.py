# SPDX-License-Identifier: MIT
"""Writes the C tables of src/schema/schema.h."""

import dataclasses
import hashlib
import re

from domains import event_id, numbered, page_owners, pages
from model import LASTING, TYPE_BYTES

# bt2 shows a sequence of these as text.
TSDL_TYPES = """\
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 8; align = 8; signed = false; base = 16; } := x8;
typealias integer { size = 16; align = 8; signed = false; base = 16; } := x16;
typealias integer { size = 32; align = 8; signed = false; base = 16; } := x32;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := utf8;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; byte_order = le; } := f64;
"""


def c_string(text):
    lines = text.splitlines()
    return "\n".join("\t\"%s\\n\"" % line.replace("\\", "\\\\").replace("\"", "\\\"")
                     for line in lines) or "\t\"\""


def c_identifier(text):
    return re.sub(r"\W", "_", text)


class Tables:
    """C source of a domain's tables; equal tables are written once."""

    def __init__(self):
        self.out, self.names, self.fields = [], {}, {}

    def names_symbol(self, names):
        if names is None:
            return "NULL"
        if names.type == "tandem_domain":  # the table has those that began with it
            values = {**dict(names.values), **dict(numbered())}
            names = dataclasses.replace(names, values=tuple(sorted(values.items())))
        if names not in self.names:
            symbol = "names_%s" % c_identifier(names.type)
            self.names[names] = symbol
            values = "\n".join("\t{ %s, \"%s\" }," % (number(value), word)
                               for value, word in names.values)
            self.out.append("static const struct tandem_name %s_list[] = {\n%s\n};" % (symbol, values))
            self.out.append("static const struct tandem_names %s = { \"%s\", %s_list, %d, %d, %d };\n"
                            % (symbol, names.type, symbol, len(names.values),
                               TYPE_BYTES[names.base], names.base[0] == "i"))
        return "&" + self.names[names]

    def fields_symbol(self, layout):
        if not layout.fields:
            return "NULL"
        if layout not in self.fields:
            rows = []
            for field, offset in zip(layout.fields, layout.offsets()):
                names = field.names if field.kind in ("enum", "flags") else None
                rows.append("\t{ \"%s\", TANDEM_FIELD_%s, TANDEM_OBJECT_%s, %d, %d, %d, "
                            "TANDEM_ROLE_%s, %d, %s },"
                            % (field.name, field.kind.upper(), field.object, field.bytes,
                               1 if field.count_bytes else 0, field.count_bytes, field.role,
                               offset, self.names_symbol(names)))
            symbol = "fields_%d" % len(self.fields)
            self.fields[layout] = symbol
            self.out.append("static const struct tandem_field %s[] = {\n%s\n};\n"
                            % (symbol, "\n".join(rows)))
        return self.fields[layout]


def number(value):
    if value == -1 << 63:
        return "INT64_MIN"
    if value >= 1 << 63:
        return "(int64_t)%#xull" % value
    return "%d" % value if -1 << 31 <= value < 1 << 31 else "%#xll" % value


def traits_c(traits):
    """The initializer of struct tandem_traits."""
    members = [".%s = TANDEM_%s_%s" % (member, prefix, word) for member, prefix, word, default in (
        ("wait", "WAIT", traits.wait, "none"), ("memory", "MEMORY_ROLE", traits.memory, "none"),
        ("record", "RECORD", traits.record, "none"),
        ("synchronous", "WHEN", traits.synchronous, "never")) if word != default]
    if traits.poll == "always":
        members.append(".poll = TANDEM_WHEN_always")
    elif traits.poll is not None:
        members += [".poll = TANDEM_WHEN_argument", ".poll_value = %#x" % traits.poll]
    if traits.graph:
        members.append(".graph = 1")
    if traits.signal:
        members.append(".signal = 1")
    if traits.single:
        members.append(".single = 1")
    if traits.context:
        members.append(".context = 1")
    return "{ %s }" % (", ".join(members) or "0")


def schema_write(source, domain_name, domain_number, events):
    """The text of <domain>_schema.c."""
    tables, rows = Tables(), []
    owned = pages(domain_name, max(event.id for event in events))
    for event in events:
        layouts = ", ".join("{ %d, %d, %s }" % (layout.fixed_bytes, len(layout.fields),
                                                 tables.fields_symbol(layout))
                            for layout in event.layouts)
        rows.append("\t[%d] = { %d, TANDEM_CLASS_%s, %d, \"%s\", %s, %s,\n\t  { %s } },"
                    % (event.id, event_id(domain_name, event.id), event.cls, int(event.shows_result), event.name,
                       tables.names_symbol(event.results), traits_c(event.traits), layouts))
    out = ["""/* Generated by tools/apigen from %s: do not edit. */
#include "schema/schema.h"

#include "schema/record.h"

/* A traced process never looks into a record: without the tables, and their
 * thousands of addresses, its loader has less to do. */
#ifndef TANDEM_NO_EVENTS
""" % source]
    out += tables.out
    out.append("static const struct tandem_event events[] = {\n%s\n};\n" % "\n".join(rows))
    out.append("#define EVENTS events, sizeof(events) / sizeof(*events)\n#else\n"
               "#define EVENTS NULL, 0\n#endif\n")
    out.append("const struct tandem_domain tandem_schema_%s = {\n"
               "\t%d, \"%s\", \"%s\", EVENTS, { %s }, %d,\n};"
               % (domain_name, domain_number, domain_name, domain_hash(events),
                  ", ".join(map(str, owned)), len(owned)))
    return "\n".join(out) + "\n"


def objects_write(events, shared):
    """The text of objects.h: types of objects that the tables name beyond the shared ones."""
    own = []
    for event in events:
        for layout in event.layouts:
            own += [field.object for field in layout.fields
                    if field.object not in shared and field.object not in own]
    return """/* Generated by tools/apigen from the tables of all domains: do not edit. */
#ifndef TANDEM_SCHEMA_GEN_OBJECTS_H
#define TANDEM_SCHEMA_GEN_OBJECTS_H

/* Beyond TANDEM_SHARED_OBJECTS (schema/schema.h). */
#define TANDEM_OWN_OBJECTS(X)%s

#endif
""" % "".join(" \\\n\tX(%s)" % name for name in own)


def lasting_write(domains):
    """The text of lasting.h; domains: (name, number, events)."""
    cases, objects = [], {}
    for name, _, events in domains:
        for event in events:
            if event.traits.record not in LASTING:
                continue
            case = "\tcase %d: /* %s %s */" % (event_id(name, event.id), name, event.name)
            cases.append(case)
            first = event.layouts[0].fields[0]
            if first.kind == "object" and not first.count_bytes:
                objects.setdefault(first.object, []).append(case)
    of = ["\n".join(of_type) + "\n\t\treturn TANDEM_OBJECT_%s;" % name
          for name, of_type in objects.items()]
    return """/* Generated by tools/apigen from the records of all domains: do not edit.
 *
 * Records without which later ones make no sense: descriptions of objects, names (traits.h). */
#ifndef TANDEM_SCHEMA_GEN_LASTING_H
#define TANDEM_SCHEMA_GEN_LASTING_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/schema.h"

/* Costs nothing where the id is a constant. */
static inline bool tandem_id_lasts(uint16_t id)
{
\tswitch (id) {
%s
\t\treturn true;
\tdefault:
\t\treturn false;
\t}
}

/* The type of the object that one of them is about, whose number it begins with. */
static inline enum tandem_object tandem_id_object(uint16_t id)
{
\tswitch (id) {
%s
\tdefault:
\t\treturn TANDEM_OBJECT_none;
\t}
}

#endif
""" % ("\n".join(cases), "\n".join(of))


def laid_out(event):
    """The event as far as its bytes go: what it means is no part of the hash."""
    if event.cls in ("QUERY", "RETAIN"):
        return dataclasses.replace(event, cls="CALL")
    return event


def domain_hash(events):
    return hashlib.sha256(repr(list(map(laid_out, events))).encode()).hexdigest()[:32]


def hash_write(domains):
    """The text of hash.c; domains: (name, number, events)."""
    digest = hashlib.sha256(TSDL_TYPES.encode())
    for name, domain_number, events in domains:
        digest.update(("%s %d %r" % (name, domain_number, list(map(laid_out, events)))).encode())
    return """/* Generated by tools/apigen: do not edit. */
#include "schema/schema.h"

const char tandem_schema_hash[] = "%s";

const char tandem_tsdl_types[] =
%s;

const struct tandem_page tandem_pages[TANDEM_PAGES] = {
%s
};
""" % (digest.hexdigest()[:32], c_string(TSDL_TYPES),
       "\n".join("\t{%d, %d}," % owner for owner in page_owners()))
