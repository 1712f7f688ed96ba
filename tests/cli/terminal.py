#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recorder on a terminal: Ctrl-C is the program's, Ctrl-Z works, and the
shell notices nothing of a process in between."""
import os
import pty
import select
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, wait_for, TANDEM

PROMPT = "tandem-test> "

CATCHER = r"""
import os, signal, sys, time
def caught(number, frame):
    os.write(1, b"caught %d\n" % number)  # print() may be what it interrupts
    sys.exit(5)
signal.signal(signal.SIGINT, caught)
signal.signal(signal.SIGQUIT, caught)
os.write(1, b"ready\n")
for _ in range(200):  # a signal just before a sleep is handled after it
    time.sleep(0.1)
"""


class Terminal:
    """A session on a pseudo-terminal whose leader is `command`."""

    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)
        self.text = ""
        self.seen = 0

    def expect(self, word, seconds=10):
        """Reads until `word` comes, behind the one that was expected last."""
        end = time.monotonic() + seconds
        while self.text.find(word, self.seen) < 0 and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    data = os.read(self.fd, 4096)
                except OSError:  # the other end is closed
                    break
                if not data:
                    break
                self.text += data.decode(errors="replace")
        at = self.text.find(word, self.seen)
        if at >= 0:
            self.seen = at + len(word)
        return at >= 0

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """Its status, or None when it does not end."""
        done = wait_for(lambda: os.waitpid(self.pid, os.WNOHANG)[1:] if self.ended() else None)
        os.close(self.fd)  # hangs up on whatever is left
        return os.waitstatus_to_exitcode(done[0]) if done else None

    def ended(self):
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)

    def command(self, line):
        """Types a line for a shell, once it is ready to read one."""
        self.expect(PROMPT)
        self.type(line + "\n")


for key, name, number in (("\x03", "Ctrl-C", signal.SIGINT), ("\x1c", "Ctrl-\\", signal.SIGQUIT)):
    folder = f"caught-{int(number)}"
    terminal = Terminal([TANDEM, "record", "--kernel", "off", "-o", folder, sys.executable, "-c", CATCHER])
    check(terminal.expect("ready"), f"{name}: the program starts", terminal.text)
    terminal.type(key)
    check(terminal.expect(f"caught {int(number)}"), f"{name} reaches the program", terminal.text)
    check(terminal.expect("nothing lost"), f"{name}: the recorder says what it recorded",
          terminal.text)
    check(terminal.end() == 5, f"{name}: its status is the program's")
    check('"code": 5' in open(folder + "/session.json").read(), f"{name}: the session is whole")

    terminal = Terminal([TANDEM, "record", "-o", f"dead-{int(number)}", "sh", "-c",
                         "ulimit -c 0; echo ready; exec sleep 20"])
    terminal.expect("ready")
    terminal.type(key)
    check(terminal.end() == -number, f"{name} kills a program that does not catch it",
          terminal.text)

# The terminal is the program's: what is typed arrives there, and it is one.
terminal = Terminal([TANDEM, "record", "-q", "-o", "typed", "sh", "-c",
                     "test -t 0 && test -t 1 && test -t 2 && read line && echo got:$line"])
terminal.type("words\n")
check(terminal.expect("got:words"), "the program reads from the terminal", terminal.text)
check(terminal.end() == 0, "all three files are the terminal")

# Job control, by a shell that has it.
os.environ.update(PS1=PROMPT, HISTFILE="", PROMPT_COMMAND="")
shell = Terminal(["bash", "--norc", "--noprofile", "--noediting", "-i"])
shell.command(f"{TANDEM} record -o job sh -c 'echo up; read x; echo read:$x; exit 6'; echo one:$?")
check(shell.expect("up\r\n"), "a program in a shell's foreground", shell.text)
shell.type("\x1a")
check(shell.expect("Stopped"), "Ctrl-Z stops it, and the shell is back", shell.text)
shell.command("fg")
shell.expect("exit 6'\r\n")
shell.type("line\n")
check(shell.expect("read:line"), "fg continues it", shell.text)
shell.command("echo two:$?")
check(shell.expect("two:6"), "its status arrives after all that", shell.text)

# A program that stops itself, as an editor does that reads Ctrl-Z as a key.
shell.command(f"{TANDEM} record -q -o self sh -c 'echo up; kill -TSTP $$; echo back; exit 3'")
shell.expect("up\r\n")
check(shell.expect("Stopped"), "a program that stops itself gives the shell back", shell.text)
shell.command("fg")
check(shell.expect("back\r\n"), "and goes on with fg", shell.text)
shell.command("echo three:$?")
check(shell.expect("three:3"), "to its own status", shell.text)
shell.command(f"{TANDEM} record -q -o deaf sh -c 'trap \"\" TSTP; echo up; read x; exit 8'; echo five:$?")
shell.expect("up\r\n")
shell.type("\x1aline\n")
check(shell.expect("five:8"), "a program that ignores Ctrl-Z goes on", shell.text)
shell.command(f"{TANDEM} record -q -o behind sh -c 'sleep 0.2; exit 4' & wait $!; echo four:$?")
check(shell.expect("four:4"), "a program in the background", shell.text)
shell.command("exit 0")
check(shell.end() == 0, "no job is left behind", shell.text)

# Who runs this with nohup hands down that SIGHUP is ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# A terminal that hangs up takes the program along, not the session.
terminal = Terminal([TANDEM, "record", "-o", "hangup", sys.executable, "-c",
                     "import time; print('ready', flush=True); time.sleep(20)"])
terminal.expect("ready")
os.close(terminal.fd)
status = os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])
check(status == -signal.SIGHUP, "a terminal that hangs up", status)
check('"signal": 1' in open("hangup/session.json").read(), "the session is whole")
finish()
