# SPDX-License-Identifier: MIT
"""Sessions for the tests of what reads them: made up of any size, or recorded.

    made = synthetic("g", records=10000, processes=2, threads=2)
    if mandelbrot("m", 64, 64): ...
"""
import json
import os
import subprocess

from tap import TANDEM

BUILD = os.environ["TANDEM_BUILD"]
MANDELBROT = os.path.join(BUILD, "examples", "opencl", "mandelbrot", "mandelbrot")


def synthetic(path, records=10000, processes=1, threads=2, args="basic", launches=1):
    """Makes a session, with so many launches in flight at once; returns what a right
    report says of it."""
    made = subprocess.run([os.path.join(BUILD, "bench", "gen_trace"), "-n", str(records),
                           "-p", str(processes), "-t", str(threads), "-a", args,
                           "-f", str(launches), path],
                          check=True, capture_output=True, text=True)
    return json.loads(made.stdout)


def record(path, command, *options, env=None):
    """Records a program; its status."""
    return subprocess.run([TANDEM, "record", "-o", path, *options, "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=dict(os.environ, **(env or {}))).returncode


def mandelbrot(path, *options, size=(64, 64)):
    """Records the image program; False where it cannot run."""
    if not os.access(MANDELBROT, os.X_OK):
        return False
    return record(path, [MANDELBROT, "--width", str(size[0]), "--height", str(size[1])],
                  *options) == 0


def tandem(*arguments, **options):
    return subprocess.run([TANDEM, *arguments], capture_output=True, text=True, **options)


def events(path):
    """What `tandem print --raw` says, as objects."""
    printed = tandem("print", "--raw", "--format", "json", path)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def cached(session, name):
    """Where readers keep a file that they made of the session; None: they keep none."""
    cache = os.path.join(os.environ["XDG_CACHE_HOME"], "tandem")
    for folder in os.listdir(cache) if os.path.isdir(cache) else []:
        with open(os.path.join(cache, folder, "path"), encoding="utf-8") as file:
            if file.read() == os.path.realpath(session):
                path = os.path.join(cache, folder, name)
                return path if os.path.exists(path) else None
    return None


def report(path):
    return json.loads(tandem("report", "--format", "json", path).stdout)
