#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=400
"""AMD's own HIP runtimes, as Debian has them, and a client of ROCTracer's, loaded, closed and ended in
each order, without a GPU: the program does what it does alone, and the client gets what is called after
both are there (5.7.1), or nothing (5.2.3)."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import debroot  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

ORDER = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "hip", "hip-order")
CLIENT = os.path.join(os.environ["TANDEM_BUILD"], "tests", "tracer", "tracer-amd-client.so")
FUNCTIONS = ("hipRuntimeGetVersion", "hipGetDeviceCount", "hipMalloc", "hipDeviceSynchronize")
# How often 5.7.1 reports each function: HIP 5 is found when a tool enables something, and nothing says
# later that it has come where no HSA runs.
ORDERS = {
    "tool hip calls held": 0,
    "hip tool calls held": 1,
    "hip calls tool calls held": 1,
    "hip tool calls -tool calls held": 2,  # a client with callbacks stays
    "hip tool calls -hip held": 1,         # and so does the runtime that it is registered with
    "hip tool calls -hip hip calls held": 2,
    "hip tool calls -hip -tool held": 1,
    "hip tool calls -tool -hip held": 1,
    "hip tool -tool -hip held": 0,
    "tool hip calls -hip -tool held": 0,
    "tool -tool hip calls -hip held": 0,
}


def run(root, order, *before, **more):
    return subprocess.run([*before, *debroot.command(root, [ORDER])], text=True, capture_output=True,
                          check=False, timeout=60, env=dict(os.environ, HIP_ORDER=order, **more))


def got(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("got ")]
    return {words[1]: int(words[-1]) for words in lines}


def tested(suite, root, order, times):
    alone = run(root, order)
    calls = order.split().count("calls") * len(FUNCTIONS)
    if not check(alone.returncode == 0 and len(alone.stdout.splitlines()) == calls + 1,
                 "%s, %s: the program runs" % (suite, order), alone):
        return
    done = run(root, order, HIP_TOOL=CLIENT, AMD_CLIENT="hip", STUB_HIP_NO_DEVICE="1",
               AMD_PHASE_DATA="832" if suite == "trixie" else "0")
    found = got(done.stderr)
    check(done.returncode == 0 and done.stdout == alone.stdout and found.get("wrong") == 0,
          "%s, %s: and does the same with a client" % (suite, order), done)
    called = {name[6:]: count for name, count in found.items() if name.startswith("calls:")}
    wanted = {name: times for name in FUNCTIONS if times and suite == "trixie"}
    check(called == wanted, "%s, %s: which gets what is called when both are there" % (suite, order),
          called)
    # 5.2.3 calls nothing back: that it has been found shows in its being held.
    if "-hip" in order and order.startswith("hip tool"):
        check("held\n" in done.stderr, "%s, %s: the runtime is held" % (suite, order), done.stderr)
    recorded = run(root, order, TANDEM, "record", "--quiet", "-o", suite + order.replace(" ", ""))
    check(recorded.returncode == 0 and recorded.stdout == alone.stdout and
          "refused" not in recorded.stderr, "%s, %s: nor does a recording disturb it" % (suite, order),
          recorded)


for suite in ("trixie", "bookworm"):
    root, why = debroot.made(suite, "libamdhip64-5")
    if not root:
        skip("HIP of Debian's %s" % suite, why)
        continue
    if os.environ.get("TANDEM_SANITIZE"):
        skip("%s: a client of ROCTracer's" % suite, "nothing puts the sanitizer's runtime before it")
        continue
    for order, times in ORDERS.items():
        tested(suite, root, order, times)
finish()
