#!/usr/bin/env python3
"""Writes everything under src/**/gen/ from the tables beside it.

    tools/apigen/apigen.py            write what has changed
    tools/apigen/apigen.py --check    write nothing; fail if anything would change
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import api  # noqa: E402
import c_args  # noqa: E402
import c_next  # noqa: E402
import c_records  # noqa: E402
import c_types  # noqa: E402
import c_wrappers  # noqa: E402
import called  # noqa: E402
import core  # noqa: E402
import rules  # noqa: E402
import schema  # noqa: E402
import wrapped  # noqa: E402
from model import SourceError, fail  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def outputs_make():
    """Returns {path from the root: text}."""
    outputs = {}
    domains = [("core", 0, records_make(outputs, "core", 0)),
               ("opencl", 1, opencl_make(outputs)),
               ("kernel", 9, records_make(outputs, "kernel", 9)),
               ("annotation", 11, records_make(outputs, "annotation", 11))]
    domains += cuda_make(outputs)
    outputs["src/schema/gen/hash.c"] = schema.hash_write(domains)
    return outputs


def records_make(outputs, name, number):
    """Adds the outputs of src/schema/NAME.events; returns its events."""
    source = "src/schema/%s.events" % name
    enums, events = core.records_read(os.path.join(ROOT, source))
    headers = {owner: text_of("src/" + owner) for owner, _ in core.OWNED.values()}
    outputs["src/schema/gen/%s_records.h" % name] = core.records_write(
        name, number, enums, events, headers)
    outputs["src/schema/gen/%s_schema.c" % name] = schema.schema_write(
        source, name, number, events)
    return events


def opencl_make(outputs):
    """Adds the outputs of the OpenCL domain; returns its events."""
    sources = ["opencl.api", "opencl.rules"]
    description = api.Api(os.path.join(ROOT, "src/domains/opencl/opencl.api"))
    book = rules.Rules(os.path.join(ROOT, "src/domains/opencl/opencl.rules"),
                       [function.name for function in description.functions], wrapped.KEYS)
    calls = wrapped.calls_make(description, book)
    events = wrapped.events_make(calls, description, book)
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
        "opencl.api and opencl.rules", "opencl", 1, events)
    return events


def cuda_make(outputs):
    """Adds the outputs of the CUDA domain; returns its two halves for the hash."""
    sources = ["cuda.api", "cuda.rules"]
    api_ = called.Api(os.path.join(ROOT, "src/domains/cuda/cuda.api"))
    functions = api_.functions["driver"] + api_.functions["runtime"]
    book = rules.Rules(os.path.join(ROOT, "src/domains/cuda/cuda.rules"),
                       [function.name for function in functions], called.KEYS)
    records = records_make(outputs, "cuda", 2)
    driver = called.calls_make(api_, book, "driver", len(records), "CUresult")
    runtime = called.calls_make(api_, book, "runtime", 1, "cudaError")
    cuda_events = records + [call.event() for call in driver]
    cudart_events = records[:1] + [call.event() for call in runtime]
    outputs["src/domains/cuda/gen/args.h"] = c_args.called_args_h(functions, sources[:1])
    outputs["tests/gen/cuda_args.c"] = c_args.called_args_test(functions, sources[:1])
    outputs["src/domains/cuda/gen/ids.h"] = called.tables_h(driver, runtime, sources)
    outputs["src/domains/cuda/gen/api.c"] = called.tables_c(driver, runtime, sources)
    outputs["src/schema/gen/cuda_schema.c"] = schema.schema_write(
        "cuda.events, cuda.api and cuda.rules", "cuda", 2, cuda_events)
    outputs["src/schema/gen/cudart_schema.c"] = schema.schema_write(
        "cuda.api and cuda.rules", "cudart", 10, cudart_events)
    return [("cuda", 2, cuda_events), ("cudart", 10, cudart_events)]


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
