# SPDX-License-Identifier: MIT
"""For the tests that are Python programs: each check prints one line of TAP.

    import sys, os
    sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
    from tap import check, skip, finish, TANDEM

    check(1 + 1 == 2, "sums are right")
    finish()
"""
import os
import subprocess
import sys
import time

TANDEM = os.environ["TANDEM"]
_done = _failed = 0


def check(holds, words, shown=None):
    """One line; `shown` explains a failure."""
    global _done, _failed
    _done += 1
    if not holds:
        _failed += 1
    print(f"{'ok' if holds else 'not ok'} {_done} - {words}")
    if not holds and shown is not None:
        print("# " + str(shown).replace("\n", "\n# "))
    sys.stdout.flush()
    return holds


def skip(words, why):
    global _done
    _done += 1
    print(f"ok {_done} - {words} # SKIP {why}")


def preload(*libraries):
    """LD_PRELOAD of these: a sanitizer's runtime comes before them."""
    first = []
    if "address" in os.environ.get("TANDEM_SANITIZE", ""):
        found = subprocess.run(["gcc", "-print-file-name=libasan.so"], text=True,
                               capture_output=True, check=True)
        first = [os.path.realpath(found.stdout.strip())]
    return ":".join([*first, *libraries])


def wait_for(happened, seconds=10):
    """Waits until `happened()` is true; returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = happened()
        if value:
            return value
        time.sleep(0.01)
    return happened()


def finish():
    sys.exit(1 if _failed or not _done else 0)
