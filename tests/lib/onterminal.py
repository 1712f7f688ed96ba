# SPDX-License-Identifier: MIT
"""What a command prints on a terminal of so many columns, as lines."""
import fcntl
import os
import pty
import struct
import termios


def on_terminal(width, *arguments):
    pid, fd = pty.fork()
    if not pid:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        os.environ["NO_COLOR"] = "1"
        os.execvp(arguments[0], arguments)
    said = b""
    try:
        while data := os.read(fd, 65536):
            said += data
    except OSError:
        pass
    os.waitpid(pid, 0)
    return said.decode().replace("\r", "").split("\n")
