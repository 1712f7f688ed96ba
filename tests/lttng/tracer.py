#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's side of a session of LTTng's: `record --sink lttng` asks for it where there is a kernel
tracer and says why there is none, with the fix. No tracer of the kernel is here: a `lttng` in PATH
answers for it, as the real one does with one, without one, and where the user may not use it, and
hands everything else to the real one. The kernel's trace is written, of our own kernel side.

tandem-test: timeout=500
"""
import grp
import json
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from foreigntrace import write_lttng
from kernelside import scope
from tap import check, finish, skip, TANDEM
from traces import MANDELBROT, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
if not os.access(MANDELBROT, os.X_OK):
    print("the example is not built: no OpenCL")
    sys.exit(77)
lttng.start()
PROGRAM = [MANDELBROT, "-w", "64", "-h", "64", "-n", "20"]
# As lttng-tools 2.13.9 prints it, shortened.
LISTED = """Kernel events:
-------------
      writeback_dirty_page (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      my_sched_waking (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_process_exec (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_process_fork (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_process_exit (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_process_free (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_migrate_task (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_switch (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_wakeup_new (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_wakeup (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      sched_stat_runtime (loglevel: TRACE_EMERG (0)) (type: tracepoint)
      lttng_statedump_process_state (loglevel: TRACE_EMERG (0)) (type: tracepoint)
"""
WANTED = {"sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_process_fork",
          "sched_process_exec", "sched_process_exit", "sched_process_free", "lttng_statedump_process_state"}
ROOTS = ('Tracing the kernel requires a root lttng-sessiond daemon, as well as "tracing" group membership or '
         'root user ID for the lttng client')
os.mkdir("bin")
with open("bin/lttng", "w", encoding="utf-8") as file:
    file.write(f"""#!/bin/sh
case " $* " in
*" --kernel "*)
	echo "$@" >> "$KERNEL_LOG"
	[ "$1" = "$KERNEL_FAILS" ] && {{ echo "Error: $KERNEL_SAYS"; exit 1; }}
	[ "$1" = list ] && cat "$KERNEL_LIST"
	exit 0 ;;
esac
echo "$1" >> "$KERNEL_LOG"
[ "$KERNEL_ALONE" ] && exit 0
exec {shutil.which("lttng")} "$@"
""")
os.chmod("bin/lttng", 0o755)
for name, text in (("all", LISTED), ("few", LISTED.replace("sched_switch", "sched_swatch"))):
    with open(name + ".list", "w", encoding="utf-8") as file:
        file.write(text)


def record(name, *options, fails="", says="", listed="all", before=(), command=PROGRAM, alone=""):
    """What it said, and the commands that it gave: all of the kernel's tracer, the names of the others."""
    log = os.path.abspath(name + ".log")
    env = dict(os.environ, POCL_DEVICES="basic", PATH=os.path.abspath("bin") + ":" + os.environ["PATH"],
               KERNEL_LOG=log, KERNEL_ALONE=alone, KERNEL_FAILS=fails, KERNEL_SAYS=says,
               KERNEL_LIST=os.path.abspath(listed + ".list"))
    done = subprocess.run([*before, TANDEM, "record", "-o", name, "--sink", "lttng", *options, "--", *command],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, env=env)
    with open(log, encoding="utf-8") as file:
        return done, file.read().splitlines()


def notes(done):
    return [line for line in done.stderr.splitlines() if "kernel events:" in line]


# With a tracer: its channel and events in the session, before that is started.
done, log = record("with")
check(done.returncode == 0 and not notes(done), "with a kernel tracer nothing is said of it", done.stderr)
kernel = [line.split() for line in log if "--kernel" in line]
check([words[0] for words in kernel] == ["list", "enable-channel", "enable-event"], "asked, then enabled", log)
if len(kernel) != 3:
    finish()
session = kernel[1][kernel[1].index("--session") + 1]
channel = [word for word in kernel[1][1:] if not word.startswith("--") and word != session]
events = set(kernel[2][-1].split(","))
check(session.startswith("tandem-") and session in kernel[2] and len(channel) == 1 and
      f"--channel={channel[0]}" in kernel[2], "in the program's session, in a channel of its own", kernel)
check(events == WANTED, "the scheduler's events and who is there, as far as the tracer has them", events)
first = log.index("create")
check(first < log.index(" ".join(kernel[1])) and log.index(" ".join(kernel[2])) < log.index("start"),
      "after the session is made, before it starts", log)
check("--output=mmap" not in kernel[1] and "--subbuf-size=1048576" in kernel[1], "as the other channel", kernel[1])
done, log = record("rings", "--snapshot=512K")
words = next((line.split() for line in log if line.startswith("enable-channel") and "--kernel" in line), [])
check(done.returncode == 0 and "--output=mmap" in words and "--subbuf-size=65536" in words and
      "--num-subbuf=8" in words, "rings are as large as the program's, and can be copied", (done.stderr, words))
done, log = record("off", "--kernel", "off")
check(done.returncode == 0 and not any("--kernel" in line for line in log), "--kernel off asks for nothing", log)

# Without one: said once, with the fix; the program's events are there all the same.
FIXES = {"root": ("lttng-modules", "modprobe lttng-tracer", "lttng-sessiond"),
         "user": ("usermod -aG tracing", "lttng-sessiond", "lttng-modules")}
CASES = [("absent", "list", "Unable to list kernel events: Kernel tracer not available",
          "Kernel tracer not available", "all"),
         ("old", "list", "Unable to list kernel events: Kernel tracer version is not compatible",
          "Kernel tracer version is not compatible", "all"),
         ("denied", "list", "Unable to list kernel events: " + ROOTS, ROOTS, "all"),
         ("channel", "enable-channel", "Channel tandem-kernel: " + ROOTS, ROOTS, "all"),
         ("event", "enable-event", "Event sched_switch: Enable kernel event failed", "Enable kernel event failed",
          "all"),
         ("few", "", "", "no sched_switch", "few")]
who = "root" if not os.geteuid() else "user"
for name, fails, says, reason, listed in CASES:
    done, log = record(name, fails=fails, says=says, listed=listed)
    said = notes(done)
    check(done.returncode == 0 and len(said) == 1 and reason in said[0] and all(word in said[0] for word in FIXES[who]),
          f"{name}: said once, with the fix", done.stderr)
    check("350 API calls" in done.stderr or json.loads(tandem("report", "--format", "json", name).stdout)
          ["session"]["calls"] == 350, f"{name}: the program's calls are there", done.stderr)
    check(("enable-channel" in [line.split()[0] for line in log if "--kernel" in line]) == (fails != "list" and not
          listed == "few"), f"{name}: nothing more is asked of a tracer that is not there", log)
done, log = record("quiet", "-q", fails="list", says="Unable to list kernel events: Kernel tracer not available",
                   command=["true"])
check(done.returncode == 0 and not done.stderr, "-q: not said", done.stderr)

# Who is not root joins the group of those who may, or has joined: a daemon's answer does not tell.
os.makedirs("nobodys", exist_ok=True)
os.chmod("nobodys", 0o777)
os.chmod(".", 0o755)
try:
    groups = {"": "usermod -aG tracing", str(grp.getgrnam("tracing").gr_gid): "modprobe lttng-tracer"}
except KeyError:
    groups = {"": "usermod -aG tracing"}
    skip("a member of the group tracing", "there is no such group")
BECOME = ["setpriv", "--reuid=65534", "--regid=65534"]
if os.geteuid() or not shutil.which("setpriv"):
    skip("another user", "only root becomes another one, by setpriv")
elif subprocess.run([*BECOME, "--clear-groups", "sh", "-c", f"test -x {TANDEM} && test -w nobodys"],
                    check=False).returncode:
    skip("another user", "the build or this folder can't be reached by others")
else:
    for group, fix in groups.items():
        name = "nobodys/" + (group or "none")
        open(name + ".log", "w").close()
        os.chmod(name + ".log", 0o666)
        done, log = record(name, fails="list", says="Unable to list kernel events: Kernel tracer not available",
                           alone="1", command=["true"], before=[*BECOME, f"--groups={group}" if group else "--clear-groups"])
        said = notes(done)
        check(done.returncode == 0 and len(said) == 1 and fix in said[0] and
              not any(other in said[0] for other in groups.values() if other != fix),
              f"a user {'of' if group else 'without'} the group: the fix", (done.stderr, log))

# The real one says so as well: this daemon has no kernel tracer.
done = subprocess.run([TANDEM, "record", "-o", "real", "--sink", "lttng", "--", "true"], capture_output=True, text=True)
check(done.returncode == 0 and len(notes(done)) == 1 and "Kernel tracer not available" in notes(done)[0],
      "the real lttng(1), without a tracer", done.stderr)

# What such a session holds: the program's events, and the kernel's next to them.
have, why = scope()
if have != "system":
    skip("the kernel's trace next to the program's", f"the kernel's side can't be recorded here: {why}")
    finish()
events = [json.loads(line) for line in tandem("print", "--format", "json", "with").stdout.splitlines()]
with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
    write_lttng("with/lttng/kernel", events, file.read().strip(), platform.node())
ours, theirs = (json.loads(tandem("report", "--format", "json", path).stdout) for path in ("with", "with/lttng"))
check(theirs["session"]["scheduling"] == "system" and theirs["session"]["calls"] == ours["session"]["calls"] == 350,
      "LTTng's folder tells of the calls and of the scheduler", theirs["session"])
check({row["tid"] for row in theirs["threads"] if row["calls"]} == {row["tid"] for row in ours["threads"] if
      row["calls"]} and all(row["running_ns"] for row in theirs["threads"] if row["calls"]),
      "threads that make calls run", theirs["threads"])
check(json.loads(tandem("report", "--format", "json", "with").stdout)["session"]["kernel_events"] ==
      ours["session"]["kernel_events"], "and the session has each switch once", ours["session"])
finish()
