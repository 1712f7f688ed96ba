#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program inherits through the recorder, and what reaches it."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, wait_for, TANDEM

serial = iter(range(1000))


def record(*words, **more):
    return subprocess.Popen([TANDEM, "record", "-o", f"session-{next(serial)}", *words], **more)


CATCHER = r"""
import os, signal, sys, time
def caught(number, frame):
    os.write(1, b"caught %d\n" % number)  # print() may be at work
    if len(sys.argv) > 1: sys.exit(5)
for number in (1, 10, 12, 15): signal.signal(number, caught)
os.write(1, b"ready\n")
while True: time.sleep(0.1)  # a signal just before a sleep is handled after it
"""

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
    recorder = record(sys.executable, "-c", CATCHER, "end", stdout=subprocess.PIPE, text=True)
    recorder.stdout.readline()
    recorder.send_signal(number)
    line = recorder.stdout.readline()
    check(line == f"caught {int(number)}\n", f"{number.name} is passed on", line)
    check(recorder.wait() == 5, f"{number.name}: the status is the program's")

recorder = record("sleep", "20")
time.sleep(0.2)
recorder.send_signal(signal.SIGTERM)
check(recorder.wait() == -signal.SIGTERM, "SIGTERM ends a program that does not catch it")

recorder = record(sys.executable, "-c", CATCHER, "end", stdout=subprocess.PIPE, text=True)
recorder.stdout.readline()
recorder.send_signal(signal.SIGINT)
recorder.send_signal(signal.SIGQUIT)
time.sleep(0.1)
check(recorder.poll() is None, "SIGINT and SIGQUIT to the recorder alone do nothing")
recorder.send_signal(signal.SIGTERM)
recorder.wait()

# Many signals, while the program comes and goes.
recorder = record("sh", "-c", "trap : TERM USR1; i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done; exit 9",
                  stderr=subprocess.DEVNULL)
while recorder.poll() is None:
    recorder.send_signal(signal.SIGUSR1)
    time.sleep(0.001)
check(recorder.returncode in (9, -signal.SIGUSR1), "a storm of signals", recorder.returncode)

# Masks and dispositions are inherited through exec: the program's must be those
# that the recorder itself was started with.
def inherited(command, prepare):
    child = subprocess.run(command + ["grep", "-E", "^(SigBlk|SigIgn|SigPnd)", "/proc/self/status"],
                           capture_output=True, text=True, preexec_fn=prepare,
                           restore_signals=False)
    return child.stdout


def as_it_is():
    pass


def ignoring():
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE,
                   signal.SIGUSR1, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)


def blocking():
    signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGWINCH})


for prepare, words in ((as_it_is, "as usual"), (ignoring, "with ignored signals"),
                       (blocking, "with blocked signals")):
    alone = inherited([], prepare)
    recorded = inherited([TANDEM, "record", "-q", "-o", f"session-{next(serial)}"], prepare)
    check(alone == recorded and alone, f"signals are inherited {words}", f"{alone}---\n{recorded}")

child = subprocess.run([TANDEM, "record", "-q", "-o", "chld", "sh", "-c", "exit 7"],
                       preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
check(child.returncode == 7, "its status is known even where children are not waited for")

# Descriptors: the program has what the recorder was given and no more, and the
# recorder keeps none of them.
LIST = "import os; print(sorted(os.listdir('/proc/self/fd')))"
read, write = os.pipe()
alone = subprocess.run([sys.executable, "-c", LIST], capture_output=True, text=True,
                       pass_fds=[write]).stdout
recorded = subprocess.run([TANDEM, "record", "-q", "-o", "fds", sys.executable, "-c", LIST],
                          capture_output=True, text=True, pass_fds=[write]).stdout
check(alone == recorded and alone, "no descriptor more or less", f"{alone}{recorded}")
recorder = record("sh", "-c", f"exec {write}>&- >&-; exec sleep 20", stdout=subprocess.PIPE,
                  pass_fds=[write])
os.close(write)
start = time.monotonic()
ended = os.read(read, 1) == b"" and recorder.stdout.read() == b""
check(ended and time.monotonic() - start < 10, "a file that the program closes is closed")
check(recorder.poll() is None, "though it runs on")
recorder.terminate()
recorder.wait()

data = os.urandom(100000)
through = subprocess.run([TANDEM, "record", "-q", "-o", "copy", "cat"], input=data,
                         capture_output=True)
check(through.stdout == data and through.stderr == b"", "standard input and output are untouched")
recorder = subprocess.Popen([TANDEM, "record", "-o", "nobody", "sh", "-c", "exit 4"],
                            stderr=subprocess.PIPE)
recorder.stderr.close()
check(recorder.wait() == 4, "nobody reads standard error")
status = subprocess.run(["sh", "-c", f"exec {TANDEM} record -o shut sh -c 'exit 4' <&- >&- 2>&-"])
check(status.returncode == 4, "standard files that are shut")

# Process group, session, parent, priority, limits, directory, umask.
SELF = ("import os, resource; print(os.getpgrp() == os.getpgid(os.getppid()), os.getsid(0), os.nice(0),"
        "resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_NOFILE),"
        "os.getcwd(), os.umask(0))")
alone = subprocess.run([sys.executable, "-c", SELF], capture_output=True, text=True).stdout
recorded = subprocess.run([TANDEM, "record", "-q", "-o", "self", sys.executable, "-c", SELF],
                          capture_output=True, text=True).stdout
check(alone == recorded and "True" in alone, "it is who it would be", alone + recorded)

# A crash: one core dump at most, the program's.
crash = subprocess.run([TANDEM, "record", "-q", "-o", "crash", sys.executable, "-c",
                        "import os; os.abort()"], cwd=os.getcwd(), stderr=subprocess.DEVNULL)
check(crash.returncode == -signal.SIGABRT, "the program's abort is the recorder's end")

# kill -9 of the recorder leaves the program alone.
recorder = record("sh", "-c", "echo $$; read line; echo still here", stdin=subprocess.PIPE,
                  stdout=subprocess.PIPE, text=True)
program = int(recorder.stdout.readline())
recorder.kill()
recorder.wait()
recorder.stdin.write("line\n")
recorder.stdin.close()
check(recorder.stdout.readline() == "still here\n", "kill -9 of the recorder leaves the program alone")
wait_for(lambda: not os.path.exists(f"/proc/{program}"))
finish()
