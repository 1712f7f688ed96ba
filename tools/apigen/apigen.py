#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes everything under src/**/gen/ from the tables beside it.

    tools/apigen/apigen.py            write what has changed
    tools/apigen/apigen.py --check    write nothing; fail if anything would change
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import api  # noqa: E402
import c_args  # noqa: E402
import c_face  # noqa: E402
import c_next  # noqa: E402
import c_records  # noqa: E402
import c_types  # noqa: E402
import c_wrappers  # noqa: E402
import called  # noqa: E402
import core  # noqa: E402
import domains  # noqa: E402
import ids  # noqa: E402
import rules  # noqa: E402
import schema  # noqa: E402
import tabled  # noqa: E402
import wrapped  # noqa: E402
from model import SourceError, fail  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LICENCE = "/* SPDX-License-Identifier: MIT */\n"


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def outputs_make():
    """Returns {path from the root: text}."""
    outputs, made = {}, []
    makers = {"wrapped": opencl_make, "called": cuda_make, "tabled": tabled_domain}
    for domain in domains.read(ROOT):
        backend, said = rules.backend(os.path.join(ROOT, "src/domains", domain.name,
                                                   domain.name + ".rules"))
        if backend in makers:
            made += makers[backend](outputs, domain.name, said)
        elif backend:
            raise SourceError("%s.rules" % domain.name, 0, "no back end %s" % backend)
        elif domain.part == domain.name:
            made.append((domain.name, domain.number, records_make(outputs, domain.name)))
    outputs["src/schema/gen/hash.c"] = schema.hash_write(made)
    outputs["src/schema/gen/lasting.h"] = schema.lasting_write(made)
    shared = re.search(r"TANDEM_SHARED_OBJECTS\(X\)((?:.*\\\n)+.*)", text_of("src/schema/schema.h"))
    outputs["src/schema/gen/objects.h"] = schema.objects_write(
        [event for _, _, events in made for event in events], re.findall(r"X\((\w+)\)", shared[1]))
    return outputs


def ids_of(outputs, path, name, own=1):
    """The numbers of a domain's events; the file that keeps them is one more output."""
    outputs[path] = ids.Ids(ROOT, path, name, own)
    return outputs[path]


def records_make(outputs, name, numbers=None):
    """Adds the outputs of src/schema/events/NAME.events; returns its events."""
    number = domains.number(name)
    numbers = numbers or ids_of(outputs, "src/schema/events/%s.ids" % name, name)
    source = "src/schema/events/%s.events" % name
    enums, events = core.records_read(os.path.join(ROOT, source), numbers)
    headers = {owner: text_of("src/" + owner) for owner, _ in core.OWNED.values()}
    outputs["src/schema/gen/%s_records.h" % name] = core.records_write(
        name, number, enums, events, headers)
    outputs["src/schema/gen/%s_schema.c" % name] = schema.schema_write(
        source, name, number, numbers.order(events))
    return events


def opencl_make(outputs, _name, _said):
    """Adds the outputs of the OpenCL domain; returns its events."""
    sources, number = ["opencl.api", "opencl.rules"], domains.number("opencl")
    description = api.Api(os.path.join(ROOT, "src/domains/opencl/opencl.api"))
    book = rules.Rules(os.path.join(ROOT, "src/domains/opencl/opencl.rules"),
                       [function.name for function in description.functions], wrapped.KEYS)
    numbers = ids_of(outputs, "src/domains/opencl/opencl.ids", "opencl")
    calls = wrapped.calls_make(description, book, numbers)
    records = records_make(outputs, "opencl", numbers)
    events = numbers.order(wrapped.events_make(calls, description, book) + records[1:])
    gen = "src/domains/opencl/gen/"
    outputs[gen + "args.h"] = c_args.wrapped_args_h(calls, sources)
    outputs[gen + "constants.h"] = c_next.constants_h(description, ["opencl.api"])
    outputs[gen + "next.h"] = c_next.next_h(calls, description, sources)
    outputs[gen + "next.c"] = c_next.next_c(calls, description, sources)
    outputs[gen + "records.h"] = c_records.records_h(calls, sources)
    outputs[gen + "records.c"] = c_records.records_c(calls, sources)
    outputs[gen + "wrappers.c"] = c_wrappers.wrappers_c(calls, sources)
    outputs[gen + "extensions.h"] = c_wrappers.extensions_h(calls, sources)
    outputs[gen + "custom.h"] = c_wrappers.custom_h(calls, sources)
    outputs["tests/gen/opencl_types.c"] = c_types.types_c(calls, description, sources)
    outputs["src/schema/gen/opencl_schema.c"] = schema.schema_write(
        "opencl.events, opencl.api and opencl.rules", "opencl", number, events)
    return [("opencl", number, events)]


def cuda_make(outputs, _name, _said):
    """Adds the outputs of the CUDA domain; returns its two halves for the hash."""
    sources = ["cuda.api", "cuda.rules"]
    api_ = called.Api(os.path.join(ROOT, "src/domains/cuda/cuda.api"))
    functions = api_.functions["driver"] + api_.functions["runtime"]
    book = rules.Rules(os.path.join(ROOT, "src/domains/cuda/cuda.rules"),
                       [function.name for function in functions], called.KEYS)
    driver_ids = ids_of(outputs, "src/domains/cuda/cuda.ids", "cuda")
    runtime_ids = ids_of(outputs, "src/domains/cuda/cudart.ids", "cudart")
    records = records_make(outputs, "cuda", driver_ids)
    driver = called.calls_make(api_, book, "driver", driver_ids, "CUresult")
    runtime = called.calls_make(api_, book, "runtime", runtime_ids, "cudaError")
    cuda_events = driver_ids.order(records + [call.event() for call in driver])
    cudart_events = runtime_ids.order(records[:1] + [call.event() for call in runtime])
    outputs["src/domains/cuda/gen/args.h"] = c_args.called_args_h(functions, sources[:1])
    outputs["tests/gen/cuda_args.c"] = c_args.called_args_test(functions, sources[:1])
    outputs["src/domains/cuda/gen/ids.h"] = called.tables_h(driver, runtime, sources)
    outputs["src/domains/cuda/gen/api.c"] = called.tables_c(driver, runtime, sources)
    cuda_number, cudart_number = domains.number("cuda"), domains.number("cudart")
    outputs["src/schema/gen/cuda_schema.c"] = schema.schema_write(
        "cuda.events, cuda.api and cuda.rules", "cuda", cuda_number, cuda_events)
    outputs["src/schema/gen/cudart_schema.c"] = schema.schema_write(
        "cuda.api and cuda.rules", "cudart", cudart_number, cudart_events)
    return [("cuda", cuda_number, cuda_events), ("cudart", cudart_number, cudart_events)]


def tabled_domain(outputs, name, said):
    """Adds the outputs of a domain with functions in tables, as the line `backend tabled` of
    its rules says; returns its events."""
    layouts, tables = (tuple(filter(None, said.get(key, "").split(","))) for key in ("layouts", "tables"))
    api_ = tabled.Api(os.path.join(ROOT, "src/domains/%s/%s.api" % (name, name)), layouts, tables)
    numbers = ids_of(outputs, "src/domains/%s/%s.ids" % (name, name), name, int(said.get("own", 1)))
    records = records_make(outputs, name, numbers)
    return tabled_make(outputs, name, api_, numbers, records, said["results"],
                       ["%s.api" % name, "%s.rules" % name], layouts, said)


def tabled_make(outputs, name, api_, numbers, records, results, sources, layouts, said):
    """Adds the outputs of a domain whose functions are in tables; returns its events."""
    book = rules.Rules(os.path.join(ROOT, "src/domains/%s/%s.rules" % (name, name)),
                       [function.name for function in api_.functions], tabled.KEYS)
    calls = tabled.calls_make(api_, book, numbers, results)
    records = [event if event.cls == "RECORD" else book.roles.event(event) for event in records]
    events = numbers.order(records + [call.event() for call in calls])
    gen = "src/domains/%s/gen/" % name
    outputs[gen + "args.h"] = tabled.args_h(name, calls, sources[:1], said["args"])
    outputs[gen + "ids.h"] = tabled.ids_h(name, calls, api_, sources[:1])
    outputs[gen + "api.c"] = tabled.tables_c(name, calls, api_, sources, layouts)
    outputs[gen + "wrappers.c"] = tabled.wrappers_c(name, calls, api_, sources, "export" in said)
    if "face" in said:
        outputs["include/" + said["face"]] = c_face.prof_str_h(name, calls, sources[:1])
    outputs["src/schema/gen/%s_schema.c" % name] = schema.schema_write(
        "%s.events, %s" % (name, " and ".join(sources)), name, domains.number(name), events)
    return [(name, domains.number(name), events)]


def main():
    parser = argparse.ArgumentParser(description="generate tables and wrappers")
    parser.add_argument("--check", action="store_true", help="only say whether all is up to date")
    options = parser.parse_args()
    stale = []
    try:
        outputs = outputs_make()
    except SourceError as error:
        fail(error)
    for path, text in outputs.items():
        full = os.path.join(ROOT, path)
        # Numbers are known once everything has asked for its own.
        text = text.text() if isinstance(text, ids.Ids) else text
        if path.endswith((".c", ".h")):
            text = LICENCE + text
        try:
            if text_of(path) == text:
                continue
        except FileNotFoundError:
            pass
        stale.append(path)
        if not options.check:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
    if options.check and stale:
        fail("not up to date, run tools/apigen/apigen.py: " + " ".join(stale))


if __name__ == "__main__":
    main()
