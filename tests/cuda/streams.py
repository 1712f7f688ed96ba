#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is known of a program's streams: that the legacy default one makes others wait is known as
soon as there are others, also where no call ever names it."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

FAULTY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "faulty")
done = subprocess.run([TANDEM, "record", "-q", "-o", "session", FAULTY, "stream_loop"], text=True,
                      capture_output=True)
check(done.returncode == 0, "is recorded", done.stderr)
lines = subprocess.run([TANDEM, "print", "session"], text=True, capture_output=True).stdout
queues = re.findall(r" queue\(queue \d+, domain=cuda, handle=0x([0-9a-f]+), .*in_order=(\d)", lines)
check(("11", "2") in queues, "the legacy default stream keeps all in order", queues[:4])
check(len(queues) > 8 and [kind for handle, kind in queues if handle != "11"].count("1") ==
      len(queues) - 1, "the others keep their own", queues)
finish()
