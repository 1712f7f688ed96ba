#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's SYCL runtime of two generations, recorded with nothing else set: programs print the
same, an independent subscriber in the same run counts the same, every kernel command is tied to
its task, and tasks have their place in the source. Under our dispatcher, and under Intel's.

tandem-test: timeout=300
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import (COUNT, SOURCES, built, dispatcher, need_dispatcher, python,  # noqa: E402
                  releases, runtime)
from tap import check, finish  # noqa: E402
from taskgraph import check_session, record  # noqa: E402

need_dispatcher()
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)


# What the runtime itself says of a processor that is newer than it, recorded or not.
OF_THE_PROCESSOR = "SYCL CPU RT Warning: Unknown host CPU."


def complaints(done):
    return [line for line in done.stderr.splitlines() if line not in ("", OF_THE_PROCESSOR)]


for release in releases():
    programs = {"dpctl": [python(release), SOURCES / "dpctl_usm.py", "5"]}
    program = built(release)
    if program:
        programs["C++"] = [program, "4"]
    for name, command in programs.items():
        for whose, env in (("ours", {}), ("Intel's", {"XPTI_FRAMEWORK_DISPATCHER": str(dispatcher(release))})):
            words = f"{release}, {name}, {whose} dispatcher"
            session = f"{release}-{name}-{whose[0]}"
            done, _ = record(command, session + "-alone", dict(runtime(release), **env))
            check(done.stdout == "ok\n" and done.returncode == 0 and not complaints(done),
                  f"{words}: the program's results", done.stdout + done.stderr)
            done, counts = record(command, session, dict(runtime(release), XPTI_SUBSCRIBERS=str(COUNT),
                                                         **env))
            graph = check_session(words, session, counts, 5 if name == "dpctl" else 4,
                                  (release, name) != ("2026.2", "dpctl"))
            check(done.stdout == "ok\n" and graph.counts()["bytes"] >= 768, f"{words}: it ran", done.stderr)
            if name == "C++":
                places = {(graph.construct(t)["name"], graph.construct(t)["line"]) for t in graph.tasks}
                lines = open(SOURCES / "sycl_graph.cpp", encoding="utf-8").read().splitlines()
                at = [i + 1 for i, line in enumerate(lines) if "queue.submit" in line][0]
                kinds = {e["args"]["name"]: e["args"]["kind"] for e in graph.by_name["construct"]}
                check({("__sycl_kernel_add", at), ("host task", at + 22)} <= places and
                      kinds["__sycl_kernel_add"] == "kernel" and kinds["host task"] == "host_task",
                      f"{words}: tasks have their lines", (places, kinds))
finish()
