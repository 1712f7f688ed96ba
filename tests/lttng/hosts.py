#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LTTng's traces of several hosts in one folder. The hosts are UTS namespaces with daemons of their
own at once, of one kernel and so of one clock: what is made of it can be held against the truth. In
the metadata another boot and another offset to the time of day make two machines of them, whose
clocks are joined by that, or by the messages that their kernels' traces show.

tandem-test: timeout=300
"""
import glob
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from foreigntrace import write_lttng_network
from onterminal import on_terminal
from tap import check, finish, TANDEM
from traces import BUILD, tandem
from viewing import View

IDS = 1 << 22  # TRACE_HOST_IDS
# A command that a library can be preloaded into.
LOADED = os.path.join(BUILD, "tandem-loaded")
LOADED = LOADED if os.path.exists(LOADED) else TANDEM
PROGRAM = [os.path.join(BUILD, "examples", "opencl", "mandelbrot", "mandelbrot"), "-w", "64", "-h", "64"]
ROUNDS = {"node-a": 20, "node-b": 30}
# What each one's kernel says of its time of day; STA_UNSYNC of linux/timex.h.
MAX_ERROR_US = {"node-a": 2000, "node-b": 3000}
UNSYNCHRONISED = 0x40

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
if sys.argv[1:]:
    if os.uname().nodename != sys.argv[1]:
        socket.sethostname(sys.argv[1])
    os.makedirs(sys.argv[1], exist_ok=True)
    if not os.environ.get("TANDEM_LTTNG_PRIVATE"):
        sys.argv[0] = os.path.abspath(sys.argv[0])
        os.chdir(sys.argv[1])
    lttng.start()
    kernel = {"LD_PRELOAD": os.path.join(BUILD, "tests", "stubs", "stub-adjtimex.so"), "POCL_DEVICES": "basic",
              "STUB_MAX_ERROR_US": str(MAX_ERROR_US[sys.argv[1]])}
    for folder, status in (("session", 0), ("unset", UNSYNCHRONISED)):
        done = subprocess.run(["env", *(f"{name}={value}" for name, value in kernel.items()),
                               f"STUB_CLOCK_STATUS={status}", LOADED, "record", "-q", "-o", folder, "--kernel", "off",
                               "--sink", "lttng", "--", *PROGRAM, "-n", str(ROUNDS[sys.argv[1]])])
        if done.returncode:
            sys.exit(done.returncode)
    sys.exit(0)
if os.geteuid() or subprocess.run(["unshare", "-u", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
    print("no UTS namespace can be had")
    sys.exit(77)
running = [subprocess.Popen(["unshare", "-u", sys.executable, os.path.abspath(__file__), name],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for name in ROUNDS]
said = [(child.communicate()[0], child.returncode) for child in running]
if any(status == 77 for _, status in said):
    print((said[0][0] or said[1][0]).strip())
    sys.exit(77)
check(all(status == 0 for _, status in said), "recorded on two hosts at once", said)


def report(path):
    done = tandem("report", "--format", "json", path)
    check(done.returncode == 0 and not done.stderr, f"{path} is read", done.stderr)
    return json.loads(done.stdout)


def calls(path):
    """(host, time, name) of each, in their order."""
    found = {0: [], 1: []}
    for line in tandem("print", "--format", "json", path).stdout.splitlines():
        event = json.loads(line)
        if event.get("kind") == "call" or event.get("domain") == "opencl":
            found[event["process"] // IDS].append((event["monotonic_ns"], event["name"]))
    return found


def metadata(folder):
    """Path, boot, offset to the time of day in ns."""
    path = glob.glob(f"{folder}/**/metadata", recursive=True)[0]
    with open(path, "rb") as file:
        text = file.read()
    return path, text, re.search(rb'clock {.*?uuid = "([-0-9a-f]{36})"', text, re.S)[1], \
        int(re.search(rb"offset = (\d{19})", text)[1])


def lay_out(folder, shifted=None, unset=()):
    """FOLDER/node-a and FOLDER/node-b; with `shifted`, node-b is of another boot, and its time of day is set
    that much ahead; `unset`: those whose kernel says that nobody sets its clock."""
    for name in ROUNDS:
        shutil.copytree(f"{name}/{'unset' if name in unset else 'session'}/lttng", f"{folder}/{name}")
    if shifted is None:
        return
    path, text, boot, offset = metadata(f"{folder}/node-b")
    with open(path, "wb") as file:
        file.write(text.replace(boot, OTHER).replace(b"%d" % offset, b"%d" % (offset + shifted)))


OTHER = b"01234567-89ab-4cde-8f01-23456789abcd"
alone = {name: calls(f"{name}/session/lttng")[0] for name in ROUNDS}
single = {name: report(f"{name}/session/lttng") for name in ROUNDS}
check(all("hosts" not in one or not one["hosts"] for one in single.values()), "one host needs no table")

# One kernel: its clock is exact.
lay_out("containers")
said = report("containers")
rows = {row["name"]: row for row in said["hosts"]}
check(rows.keys() == ROUNDS.keys() and all(row["processes"] == 1 for row in rows.values()), "two hosts",
      said["hosts"])
check(sorted(row["clock"] for row in said["hosts"]) == ["its own", "same boot"] and
      all(row["bound_ns"] == 0 for row in said["hosts"]), "of one boot: their times are exact", said["hosts"])
counted = {row["name"]: row["calls"] for row in said["api"]}
wanted = {row["name"]: sum(one["calls"] for each in single.values() for one in each["api"]
                           if one["name"] == row["name"]) for row in said["api"]}
check(counted == wanted and counted["clEnqueueNDRangeKernel"] == sum(ROUNDS.values()) + 2,
      "the calls of both, each once", (counted, wanted))
check({row["name"].rsplit(" on ", 1)[-1] for row in said["devices"]} == set(ROUNDS),
      "a device is its host's, though they have one name", said["devices"])
found = calls("containers")
order = [row["name"] for row in said["hosts"]]
for number, name in enumerate(order):
    check(found[number] == alone[name] and alone[name], f"the calls of {name} are when they were", name)
lines = on_terminal(80, TANDEM, "report", "containers")
text = "\n".join(lines)
check("on 2 hosts" in text and "same boot" in text and all(name in text for name in ROUNDS) and
      all(len(line) <= 80 or "import-" in line for line in lines), "the report says it", text)

# The view has a group of rows for each; exports keep their numbers apart.
with View("--no-open", "containers") as view, urllib.request.urlopen(view.address + "model") as answer:
    tracks = json.load(answer)["sessions"][0]["rows"]
names = [row["name"] for row in tracks]
for name in ROUNDS:
    below = [row for row in tracks if row["parent"] >= 0 and tracks[row["parent"]]["name"] == name]
    check(tracks[names.index(name)]["kind"] == "host" and {row["kind"] for row in below} >= {"device", "process"} and
          sum(row["kind"] == "process" for row in below) == 1, f"the timeline has a group for {name}", tracks)
done = tandem("export", "--format", "chrome", "-o", "-", "containers")
pids = {event["pid"] for event in json.loads(done.stdout)["traceEvents"] if event.get("name") == "process_name"}
check(len({pid // IDS for pid in pids if pid < IDS * 2}) == 2, "processes of both hosts in an export", pids)

# Two machines: by the time of day, which is as right as both kernels say.
SHIFT = 5_000_000
lay_out("machines", SHIFT)
said = report("machines")
check(sorted(row["clock"] for row in said["hosts"]) == ["its own", "synchronised time of day"], "by the time of day",
      said["hosts"])
moved = next(row for row in said["hosts"] if row["clock"] != "its own")
first, second = (row["name"] for row in said["hosts"])
offsets = {name: metadata(f"machines/{name}")[3] for name in ROUNDS}
check(moved["moved_ns"] == offsets[second] - offsets[first] >= 0, "moved by what it says", moved)
# Truth is one clock. What both kernels say, and that the one's metadata are off by SHIFT; some seconds' drift.
told = sum(MAX_ERROR_US.values()) * 1000
check(moved["moved_ns"] <= moved["bound_ns"] and told + SHIFT <= moved["bound_ns"] <= told + SHIFT + 40_000_000,
      "wrong by no more than the bound", (moved, told))
found = calls("machines")
check(found[0] == alone[first] and
      found[1] == [(ns + offsets[second] - offsets[first], name) for ns, name in alone[second]],
      "the times are on the first one's clock", said["hosts"])
text = tandem("report", "machines").stdout
check("synchronised time of day" in text and "unknown" not in text and "STA_UNSYNC" not in text, "the report says it",
      text)

# One kernel that nobody tells the time: no bound, whichever of the two it is.
for name in ROUNDS:
    lay_out(f"unset-{name}", SHIFT, (name,))
    said = report(f"unset-{name}")
    check([row["clock"] for row in said["hosts"]] == ["its own", "unsynchronised time of day"] and
          not 0 <= (said["hosts"][1]["bound_ns"] or -1) < 2 ** 63, f"nobody sets the clock of {name}", said["hosts"])
    text = " ".join(tandem("report", f"unset-{name}").stdout.split())
    check("STA_UNSYNC" in text and "chrony" in text and "unknown" in text, "it is said, with the fix", text[:900])
# A trace without that event, as those of former versions.
for name in ROUNDS:
    shutil.copytree(f"machines/{name}", f"former/{name}")
    path = metadata(f"former/{name}")[0]
    with open(path, "rb") as file:
        text = file.read()
    with open(path, "wb") as file:
        file.write(text.replace(b"tandem_core:host_clock", b"tandem_core:host_other"))
said = report("former")
check([row["clock"] for row in said["hosts"]] == ["its own", "time of day"] and
      not 0 <= (said["hosts"][1]["bound_ns"] or -1) < 2 ** 63, "without it nobody knows", said["hosts"])

# Our own sink says the same in its description.
done = subprocess.run(["env", "LD_PRELOAD=" + os.path.join(BUILD, "tests", "stubs", "stub-adjtimex.so"),
                       "STUB_MAX_ERROR_US=1234", f"STUB_CLOCK_STATUS={UNSYNCHRONISED}", LOADED, "record", "-q", "-o",
                       "own", "--kernel", "off", "true"], capture_output=True, text=True)
with open("own/session.json", encoding="utf-8") as file:
    clock = json.load(file).get("host_clock", {})
check((clock.get("max_error_ns"), clock.get("status"), clock.get("state")) == (1234000, UNSYNCHRONISED, 5),
      "our own sink has it as well", (clock, done.stderr))

# With their kernels' traces there are messages: truth is that both clocks are one.
random.seed(7)
lay_out("network", SHIFT)
begin = min(alone[name][0][0] for name in ROUNDS)
end = max(alone[name][-1][0] for name in ROUNDS)
rows = {name: [] for name in ROUNDS}
COUNT = 400
for number in range(COUNT):
    at = begin + (end - begin) * number // COUNT
    key = (4000, 80, 1000 + number, 9)
    there, back = ROUNDS if number % 2 else reversed(ROUNDS)
    rows[there].append((at, "net_dev_queue", key))
    if number % 7 == 0:
        rows[there].append((at + 200_000_000, "net_dev_queue", key))  # sent again
    if number % 11:
        rows[back].append((at + random.randrange(20_000, 400_000), "net_if_receive_skb", key))
    if number % 7 == 0:
        rows[back].append((at + 200_000_000 + 30_000, "net_if_receive_skb", key))
    rows[back].append((at + 5, "net_if_receive_skb", None))
for name in ROUNDS:
    tid = 1 + int(name == "node-b")
    for number in range(50):
        at = begin + (end - begin) * number // 50
        rows[name].append((at, "sched_switch", {
            "prev_comm": "swapper", "prev_tid": 0, "prev_prio": 20, "prev_state": 0, "next_comm": name,
            "next_tid": tid, "next_prio": 20}))
        rows[name].append((at + 1000, "sched_switch", {
            "prev_comm": name, "prev_tid": tid, "prev_prio": 20, "prev_state": 1, "next_comm": "swapper",
            "next_tid": 0, "next_prio": 20}))
    _, _, boot, offset = metadata(f"network/{name}")
    write_lttng_network(f"network/{name}/kernel", boot.decode(), name, offset, rows[name])
said = report("network")
fitted = next((row for row in said["hosts"] if row["clock"] == "messages"), None)
check(fitted and fitted["messages"] > COUNT / 2, "joined by messages", said["hosts"])
if fitted:
    check(abs(fitted["moved_ns"]) <= fitted["bound_ns"] <= 400_000,
          "as the truth is, within the bound that it says", fitted)
    found = calls("network")
    wrong = [abs(found[number][i][0] - alone[row["name"]][i][0]) for number, row in enumerate(said["hosts"])
             for i in range(len(alone[row["name"]]))]
    check(max(wrong) <= fitted["bound_ns"], "every call is within it", (max(wrong), fitted))
    text = tandem("report", "network").stdout
    check("messages" in text, "the report says it", text)
events = [json.loads(line) for line in tandem("print", "--format", "json", "network").stdout.splitlines()]
switches = [event for event in events if event["name"] == "sched_switch"]
where = {row["name"]: row for row in said["hosts"]}
for name in ROUNDS:
    tid = 1 + int(name == "node-b") + where[name]["first_id"]
    on = {event["thread_name"] for event in switches if tid in (event["args"]["prev_tid"],
                                                                event["args"]["next_tid"])}
    check(on == {f"cpu {where[name]['first_cpu']}"}, f"the kernel's events of {name} are on its own CPU",
          (on, where))
check(len(switches) == 200 and sorted(row["first_cpu"] for row in where.values()) == [0, 1],
      "and none is missing", len(switches))
finish()
