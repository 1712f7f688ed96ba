#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hosts whose clocks go at different rates, for minutes: every time that is shown of the second one is as
right as the report says, also where there are no messages any more. The traces are made, so that the
truth is known. (No daemon is needed.)"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from foreigntrace import write_lttng_calls, write_lttng_network
from tap import check, finish
from traces import BUILD, tandem

if not os.path.exists(os.path.join(BUILD, "tandem-lttng-read.so")):
    print("built without libbabeltrace2 (libbabeltrace2-dev)")
    sys.exit(77)
IDS = 1 << 22  # TRACE_HOST_IDS
SECOND = 1_000_000_000
BOOTS = {"node-a": "11111111-89ab-4cde-8f01-23456789abcd", "node-b": "22222222-89ab-4cde-8f01-23456789abcd",
         "node-c": "33333333-89ab-4cde-8f01-23456789abcd"}
BEGIN = 5000 * SECOND
OFFSETS = {"node-a": 1_700_000_000 * SECOND, "node-b": 1_700_004_000 * SECOND + 7_000_000,
           "node-c": 1_700_004_500 * SECOND - 3_000_000}


class Host:
    """Its clock, by node-a's: a rate of its own, and another one after `turn`."""

    def __init__(self, name, ppm, after_ppm=None, turn=0):
        self.name, self.ppm, self.after_ppm, self.turn = name, ppm, ppm if after_ppm is None else after_ppm, turn
        # As the metadata have it at the beginning, wrong by some ms.
        self.zero = BEGIN + OFFSETS["node-a"] - OFFSETS[name] + (0 if name == "node-a" else 2_345_678)

    def clock(self, ns):
        """What it shows when node-a's shows that."""
        turned = max(0, ns - BEGIN - self.turn) if self.turn else 0
        passed = ns - BEGIN
        return round(self.zero + passed + (passed - turned) * self.ppm / 1e6 + turned * self.after_ppm / 1e6)


def make(folder, hosts, pairs, calls):
    """`pairs`: (one host, the other, when messages begin and end in s, how many); `calls`: of each host, from
    and to in s."""
    rows = {host.name: [] for host in hosts}
    for number, (one, other, begin, end, count) in enumerate(pairs):
        for i in range(count):
            at = BEGIN + int((begin + (end - begin) * i / count) * SECOND)
            key = (4000 + number, 80, 1000 + i, 9)
            there, back = (one, other) if i % 2 else (other, one)
            rows[there.name].append((there.clock(at), "net_dev_queue", key))
            rows[back.name].append((back.clock(at + random.randrange(8_000, 200_000)), "net_if_receive_skb", key))
    truth = {}
    for host in hosts:
        truth[host.name] = [BEGIN + int(calls[0] * SECOND) + i * int((calls[1] - calls[0]) * SECOND) // 500
                            for i in range(501)]
        switches = []
        for at in truth[host.name]:
            switches.append((host.clock(at), "sched_switch", {
                "prev_comm": "swapper", "prev_tid": 0, "prev_prio": 20, "prev_state": 0, "next_comm": host.name,
                "next_tid": 78, "next_prio": 20}))
            switches.append((host.clock(at) + 9000, "sched_switch", {
                "prev_comm": host.name, "prev_tid": 78, "prev_prio": 20, "prev_state": 1, "next_comm": "swapper",
                "next_tid": 0, "next_prio": 20}))
        write_lttng_calls(f"{folder}/{host.name}/ust", BOOTS[host.name], host.name, OFFSETS[host.name],
                          [(host.clock(at), host.clock(at) + 5000) for at in truth[host.name]])
        write_lttng_network(f"{folder}/{host.name}/kernel", BOOTS[host.name], host.name, OFFSETS[host.name],
                            rows[host.name] + switches)
    return truth


def judge(folder, truth, most_ns):
    """Every call and switch is where it was, within what is said; and that is not more than `most_ns`."""
    done = tandem("report", "--format", "json", folder)
    if not check(done.returncode == 0 and not done.stderr, f"{folder}: read", done.stderr):
        return
    rows = json.loads(done.stdout)["hosts"]
    events = [json.loads(line) for line in tandem("print", "--raw", "--format", "json", folder).stdout.splitlines()]
    check(len(rows) == len(truth) and all(row["clock"] in ("its own", "messages") for row in rows),
          f"{folder}: joined by messages", rows)
    for number, row in enumerate(rows):
        shown = [event["monotonic_ns"] for event in events
                 if event["name"] == "clFinish" and event["process"] // IDS == number]
        ran = [event["monotonic_ns"] for event in events if event["name"] == "sched_switch" and
               event["args"]["next_tid"] == 78 + number * IDS]
        # What a record has besides its own time: ticks, which are ns here.
        inside = [[event["args"][field] for event in events if event["name"] == name and
                   event["process"] // IDS == number]
                  for name, field in (("operation", "queued"), ("operation", "start"), ("build", "begin"))]
        wanted = truth[row["name"]]
        if not check(all(len(times) == len(wanted) for times in (shown, ran, *inside)),
                     f"{folder}: all of {row['name']}", [len(times) for times in (shown, ran, *inside)]):
            continue
        wrong = max(max(abs(a - b) for a, b in zip(times, wanted)) for times in (shown, ran, *inside))
        bound = row["bound_ns"]
        check(bound is not None and wrong <= bound <= most_ns,
              f"{folder}: {row['name']} is as right as it says", (wrong, bound, most_ns, row))


random.seed(11)
a, b, c = Host("node-a", 0), Host("node-b", 50), Host("node-c", -35)
# All the time: within what the messages take, and what the drift may wander.
judge("all", make("all", [a, b], [(a, b, 0, 100, 2000)], (0.01, 99.9)), 200_000)
# For 20 s of 100: what comes before and after is known less well, and that is said.
judge("early", make("early", [a, b], [(a, b, 0, 20, 400)], (0.01, 100)), 20_000_000)
judge("late", make("late", [a, b], [(a, b, 60, 80, 400)], (0.01, 100)), 20_000_000)
# A rate that NTP has changed by 8 ppm on the way.
turned = Host("node-b", 50, 58, 50 * SECOND)
judge("turned", make("turned", [a, turned], [(a, turned, 0, 100, 2000)], (0.01, 100)), 2_000_000)
for folder, begin, end in (("early-turned", 0, 20), ("late-turned", 80, 100)):
    turned = Host("node-b", 50, 58, 50 * SECOND)
    judge(folder, make(folder, [a, turned], [(a, turned, begin, end, 400)], (0.01, 100)), 20_000_000)
# By another host: what is wrong adds up.
judge("chain", make("chain", [a, b, c], [(a, b, 0, 30, 600), (b, c, 40, 90, 900)], (0.01, 100)), 40_000_000)
finish()
