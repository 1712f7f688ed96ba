# SPDX-License-Identifier: MIT
"""What a recorded CUDA program must have in its trace: by the lines `expect WHAT
NUMBER` that the programs of tests/hw/cuda print, on a machine with a GPU, and by
the same words for what the stub CUPTI replays.

    calls:NAME failed:NAME          calls, those with an error
    kernels copy_h2d ... migrate    operations of the device by kind
    bytes:KIND                      their bytes
    graph_operations                those that a graph launched
    allocated freed                 allocations
    queues devices ranges fault     streams used, devices used, NVTX, UM
    kernel:NAME                     kernels that have this in their name
    route:PLACE>PLACE               copies from such memory to such
    clusters modules overhead       launches in clusters, loaded code, what CUDA cost
    external nccl                   numbers of the program's own, NCCL's kernels
    some:WHAT                       NUMBER or more
"""
import collections
import json
import subprocess

from tap import TANDEM


class Trace:
    def __init__(self, session):
        run = subprocess.run([TANDEM, "print", "--raw", "--format", "json", session], text=True,
                             capture_output=True, check=True)
        events = [json.loads(line) for line in run.stdout.splitlines()]
        self.events = [event for event in events if event["domain"] != "kernel"]
        self.complaints = run.stderr
        self.by_name = collections.defaultdict(list)
        for event in self.events:
            self.by_name[event["name"]].append(event)
        self.operations = self.by_name["operation"]
        self.launches = {(e["process"], e["args"]["op"]): e for e in self.events
                         if e["name"] not in ("operation", "external", "content", "content_read", "content_arrived",
                                           "kernel_memory")
                         and e["args"].get("op")}
        self.configs = {(e["process"], e["args"]["launch_config"]): e for e in
                       self.by_name["launch_config"] + self.by_name["transfer_config"]}

    def config(self, operation):
        return self.configs.get((operation["process"], operation["args"]["launch_config"]))

    def kinds(self):
        return collections.Counter(e["args"]["kind"] for e in self.operations)

    def routes(self):
        return [self.config(e)["args"] for e in self.operations
                if e["args"]["kind"].startswith("copy_")]

    def count(self, what):
        word, _, name = what.partition(":")
        kinds = self.kinds()
        if word == "some":
            return self.count(name)
        if word == "calls":
            return len(self.by_name[name])
        if word == "failed":
            return sum(e.get("result", 0) != 0 for e in self.by_name[name])
        if word == "bytes":
            return sum(e["args"]["bytes"] for e in self.operations if e["args"]["kind"] == name)
        if word == "kernels":
            return kinds["kernel"]
        if word == "kernel":
            return sum(name in (e["args"].get("kernel_name") or "") for e in self.operations)
        if word == "nccl":
            return self.count("kernel:nccl")
        if word == "route":
            return sum("%s>%s" % (s["source"], s["destination"]) == name for s in self.routes())
        if word == "clusters":
            return sum(self.config(e)["args"].get("cluster_x", 0) > 1 for e in self.operations
                       if e["args"]["kind"] == "kernel")
        if word == "modules":
            return len(self.by_name["module"])
        if word in ("overhead", "external"):
            return len(self.by_name[word])
        if word == "graph_operations":
            return sum(self.config(e)["args"]["graph"] != 0 for e in self.operations)
        if word == "allocated":
            return len(self.by_name["memory"])
        if word == "freed":
            return len(self.by_name["memory_free"])
        if word in ("queues", "devices"):
            queues = {e["args"]["queue"] for e in self.operations}
            if word == "queues":
                return len(queues)
            return len({e["args"]["device"] for e in self.by_name["queue"]
                        if e["args"]["queue"] in queues})
        if word == "ranges":
            return len(self.by_name["range"])
        if word == "fault":
            return len(self.by_name["fault"])
        return kinds[word]

    def expected(self, lines):
        """Yields (holds, words, shown) for each line `expect WHAT NUMBER`."""
        for line in lines:
            words = line.split()
            if not words or words[0] != "expect":
                continue
            what, number, count = words[1], int(words[2]), self.count(words[1])
            holds = count >= number if what.startswith("some:") else count == number
            yield holds, "%s %d" % (what, number), "there are %d" % count

    def sound(self, unfinished=0):
        """What holds of every trace: yields (holds, words, shown)."""
        begun = {}
        early, strays, unlaunched = [], [], []
        for event in self.operations:
            op = event["args"]["op"]
            launch = self.launches.get((event["process"], op)) if op else None
            begun[event["process"], op] = event
            if op and not launch:
                strays.append(event)
            if launch and "start_ns" in event and event["start_ns"] < launch["time_ns"]:
                early.append((launch, event))
        for key, launch in self.launches.items():
            if key not in begun and launch.get("result", 0) == 0:
                unlaunched.append(launch)
        # A time on another clock than the session's is far away (a stub's may be somewhat
        # ahead: it runs no commands).
        first = min((event["time_ns"] for event in self.events), default=0)
        last = max((event["time_ns"] for event in self.events), default=0)
        astray = [event for event in self.operations if "start_ns" in event and not
                  first <= event["start_ns"] <= event["end_ns"] <= last + 10 ** 9]
        yield not astray, "each ran during the run", astray[:2]
        yield not strays, "each operation has its call", strays[:2]
        yield not early, "none begins before its call", early[:2]
        yield len(unlaunched) <= unfinished, "each call that makes one has it", unlaunched[:2]
        yield not self.complaints, "the trace is read without a complaint", self.complaints
