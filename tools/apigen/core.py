# SPDX-License-Identifier: MIT
"""Reads src/schema/events/NAME.events, the records of a domain that no API describes;
writes src/schema/gen/NAME_records.h."""

import dataclasses
import re

from domains import event_id
from model import (CALL_BYTES, CLASSES, HEAD_BYTES, MEMORIES, RECORDS, ROLES, TYPE_C, WAITS, WHENS,
                   Event, Layout, Names, SourceError, Traits, field_make)

# Enumerations whose constants a hand-written header already has.
OWNED = {"domain": ("schema/domains.def", "TANDEM_DOMAIN_"),
         "loss": ("schema/losses.h", "TANDEM_LOSS_")}

ENUM = re.compile(r"enum (\w+): (\w+) \{(.*)\}$")
FIELD = re.compile(r"(\w+) (\w+)(\[\])?(?: (?!as )(\w+)(?: (?!as )(\w+))?)?(?: as (\w+))?;$")
# What follows a call's name: a word and its value, and which values there are.
CALL = {"is": CLASSES, "waits": WAITS, "synchronous": WHENS, "memory": MEMORIES, "returns": None}


def records_read(path, ids):
    """Returns (enums by name, events)."""
    enums, events, record = {}, [], None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("enum "):
            match = ENUM.match(line)
            if not match:
                raise SourceError(path, number, "not an enum")
            name, base, body = match.groups()
            values = []
            for word in body.split(","):
                key, _, value = word.partition("=")
                values.append((int(value, 0), key.strip()))
            enums[name] = Names("tandem_" + name, tuple(values), base)
        elif line.startswith(("record ", "call ")):
            record = head_read(line, enums, path, number)
            if line.endswith("}"):
                events.append(event_make(record, ids.number(record[0]) if events else 0))
                record = None
        elif line == "}":
            events.append(event_make(record, ids.number(record[0]) if events else 0))
            record = None
        else:
            match = FIELD.match(line)
            if not match or record is None:
                raise SourceError(path, number, "not a field")
            record[1].append(field_read(match, enums, path, number))
    return enums, events


def head_read(line, enums, path, number):
    """(name, its fields, what it is, "record" or "call")."""
    what, name, *words = line.rstrip("{} ").split()
    said = dict(zip(words[::2], words[1::2]))
    known = {"is": RECORDS} if what == "record" else CALL
    for word, value in said.items():
        if word not in known or value not in (known[word] or enums):
            raise SourceError(path, number, "what is %s %s?" % (word, value))
    if len(words) != 2 * len(said):
        raise SourceError(path, number, "not a %s" % what)
    if said.get("is") == "wait" and "waits" not in said:
        raise SourceError(path, number, "what is complete after this wait?")
    if "returns" in said:
        said["returns"] = enums[said["returns"]]
    return name, [], said, what


def field_read(match, enums, path, number):
    base, name, sequence, kind, argument, role = match.groups()
    count_bytes = 2 if sequence or base == "string" else 0
    names = None
    if base == "string":
        base, kind = "u8", "string"
    if base not in TYPE_C:
        raise SourceError(path, number, "no type %s" % base)
    if kind == "enum":
        if argument not in enums or enums[argument].base != base:
            raise SourceError(path, number, "no enum %s: %s" % (argument, base))
        names = enums[argument]
    field = field_make(name, kind, base, count_bytes,
                       argument if kind == "object" else "none", names)
    if role and role not in ROLES:
        raise SourceError(path, number, "no role %s" % role)
    return dataclasses.replace(field, role=role) if role else field


def event_make(record, number):
    name, fields, said, what = record
    layout = Layout(HEAD_BYTES if what == "record" else CALL_BYTES, tuple(fields))
    if what == "record":
        return Event(number, name, (layout, layout, layout), traits=Traits(record=said.get("is", "none")))
    return Event(number, name, (layout, layout, layout), said.get("is", "call").upper(),
                 said.get("returns"), "returns" in said,
                 Traits(wait=said.get("waits", "none"), memory=said.get("memory", "none"),
                        synchronous=said.get("synchronous", "never")))


def event_symbol(domain, event):
    """Domain 0 has the short names: every other domain uses its records too."""
    return "TANDEM_%sEVENT_%s" % ("" if domain == "core" else domain.upper() + "_", event.name)


def struct_symbol(domain, event):
    return "tandem_%s_%s" % ("rec" if domain == "core" else domain, event.name)


def enums_write(enums, header_text):
    out = []
    for name, names in enums.items():
        if name in OWNED:
            owner, prefix = OWNED[name]
            known = set(re.findall(r"\b(?:X|DOMAIN)\((?:\d+, )?(\w+)", header_text[owner]))
            for value, word in names.values:
                if word in known:
                    out.append("_Static_assert(%s%s == %d, \"%s\");" % (prefix, word, value, owner))
            out.append("")
            continue
        out.append("enum tandem_%s {" % name)
        for value, word in names.values:
            out.append("\tTANDEM_%s_%s = %d," % (name.upper(), word, value))
        out.append("};\n")
    return out


def records_write(domain, number, enums, events, header_text):
    """The text of NAME_records.h."""
    guard = "TANDEM_SCHEMA_GEN_%s_RECORDS_H" % domain.upper()
    out = ["""/* Generated by tools/apigen from src/schema/events/%s.events: do not edit.
 *
 * The records of domain %d as they lie in a stream. A variable field has its
 * count here; the elements follow the struct in the order of the fields. */
#ifndef %s
#define %s

#include <stdint.h>

#include "schema/ids.h"
#include "schema/losses.h"
#include "schema/record.h"
""" % (domain, number, guard, guard)]
    out += enums_write(enums, header_text)
    out.append("enum tandem_%s_event {" % domain)
    for event in events:
        out.append("\t%s = %d," % (event_symbol(domain, event), event_id(domain, event.id)))
    out.append("};\n")
    for event in events:
        layout, struct = event.layouts[0], struct_symbol(domain, event)
        out.append("struct %s {" % struct)
        out.append("\tstruct tandem_%srecord head;" % ("" if event.cls == "RECORD" else "call_"))
        for field in layout.fields:
            if field.count_bytes:
                out.append("\tuint16_t %s_count;" % field.name)
            else:
                out.append("\t%s %s;" % (TYPE_C[field.type], field.name))
        out.append("} __attribute__((packed));")
        out.append("_Static_assert(sizeof(struct %s) == %d, \"%s\");\n"
                   % (struct, layout.fixed_bytes, event.name))
    out.append("#endif")
    return "\n".join(out) + "\n"
