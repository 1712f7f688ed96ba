#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A tool of the tracer's, and a client of ROCTracer's, in CUDA programs that ran on an H200, replayed
by the stub CUPTI: the calls and operations that a recording has, without `tandem record` and next to it."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, preload  # noqa: E402

BUILD = os.environ["TANDEM_BUILD"]
REPLAY = os.path.join(BUILD, "tests", "stubs", "cuda", "replay")
DATA = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda")
CLIENTS = {"a tool": "tracer-cuda-client.so", "ROCTracer's client": "tracer-cuda-face.so"}


def got(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("got ")]
    return {words[1]: int(words[-1]) for words in lines}


def tested(client, program):
    env = dict(os.environ, CUDA_CLIENT_PROGRAM="replay",
               LD_PRELOAD=preload(os.path.join(BUILD, "tests", "tracer", CLIENTS[client])))
    session, name = program + CLIENTS[client], "%s, %s" % (client, program)
    replay = [REPLAY, os.path.join(DATA, program + ".replay")]
    done = subprocess.run(replay, text=True, capture_output=True, env=env)
    alone = got(done.stderr)
    check(done.returncode == 0 and alone.get("wrong") == 0 and not alone["strays"] and
          not alone.get("early"), "%s: ids, words, names, times" % name, (alone, done.stderr[-600:]))
    recorded = subprocess.run([TANDEM, "record", "-o", session, *replay], text=True,
                              capture_output=True, env=env)
    both, trace = got(recorded.stderr), Trace(session)
    check(recorded.returncode == 0 and both.get("wrong") == 0 and not both["strays"],
          "%s: and next to a recording" % name, (both, recorded.stderr[-600:]))
    for title, found in (("alone", alone), ("next to a recording", both)):
        for kind in ("kernels", "copy_h2d", "copy_d2h", "copy_d2d", "fill", "bytes:copy_h2d",
                     "bytes:copy_d2d", "bytes:fill"):
            check(found[kind] == trace.count(kind), "%s, %s: %s %d" %
                  (name, title, kind, trace.count(kind)), found[kind])
        calls = {what[6:]: count for what, count in found.items() if what.startswith("calls:")}
        differ = {call: (count, trace.count("calls:" + call)) for call, count in calls.items()
                  if count != trace.count("calls:" + call)}
        check(len(calls) > 3 and not differ, "%s, %s: the calls that a session has" % (name, title), differ)
        check(all(found["records:" + call] == found["exits:" + call] == count
                  for call, count in calls.items()), "%s, %s: an exit and a record of each" % (name, title),
              found)
        check(all(found["failed:" + call] == trace.count("failed:" + call) for call in calls),
              "%s, %s: what failed" % (name, title), found)


for client in CLIENTS:
    for program in ("overlap", "graph", "ranges", "failing"):
        tested(client, program)
finish()
