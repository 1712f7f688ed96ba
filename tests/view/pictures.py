#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of real runs, which lie in BUILD/tests/pictures afterwards: the image
program, the same pushed off its CPU (the CLUST paper, section 4.7.1), two processes
on one device (4.7.2), many threads. Rows, colours and findings are asserted.

tandem-test: alone
tandem-test: timeout=400
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from recording import BUILD, has_pocl
from tap import check, finish, skip, TANDEM
from viewing import Page, View, need_browser

need_browser()
if not has_pocl():
    print("skipped: PoCL is not installed")
    sys.exit(77)

PICTURES = BUILD / "tests" / "pictures"
PICTURES.mkdir(parents=True, exist_ok=True)
MANDELBROT = str(BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot")
SYSTEM = scope()[0] == "system"
CPU = str(min(os.sched_getaffinity(0)))
RUNNING, FOR_CPU = "#0c9a70", "#d9601a"


def record(folder, *command, driver="basic"):
    done = subprocess.run([TANDEM, "record", "-q", "-o", folder, "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, POCL_DEVICES=driver))
    check(done.returncode == 0, f"{folder}: recorded", done.stderr)


def take(page, name):
    path = PICTURES / f"{name}.png"
    page.browser.picture(path)
    check(path.stat().st_size > 20000, f"{name}: a picture, {path}", path.stat().st_size)


def kernels(page):
    return page.run("return app.rows.all.filter(row => row.kind === 'kernels' && row.parent.kind === 'queue')"
                    ".map(row => ({words: row.words, items: row.items}))")


# --- the image program
SMALL = ["-w", "320", "-h", "240", "-n", "40"]
subprocess.run([MANDELBROT, *SMALL], stdout=subprocess.DEVNULL,
               env=dict(os.environ, POCL_DEVICES="basic"), check=True)  # compiles the kernel
record("demo", MANDELBROT, *SMALL)
with View("--no-open", "demo") as view:
    with Page(view.address) as page:
        page.findings()
        rows = page.rows()
        kinds = {row["kind"] for row in rows}
        check({"process", "thread", "queue", "transfers", "kernels", "device", "host_queue",
               "device_queue", "utilisation"} <= kinds, "demo: all kinds of rows", kinds)
        check([row["items"] for row in kernels(page)] == [41], "demo: 41 kernels in one row",
              kernels(page))
        memory = [row for row in rows if row["kind"] == "memory"]
        check(memory and memory[0]["items"] >= 2, "demo: device memory in use is a counter", memory)
        if SYSTEM:
            check("cpu" in kinds, "demo: CPUs", kinds)
            thread = "thread:" + next(row["words"] for row in rows if row["kind"] == "thread")
            check(page.colours(thread).get(RUNNING, 0) > 50, "demo: the thread is seen to run",
                  page.colours(thread))
        else:
            skip("demo: CPUs and states", "the scheduler cannot be recorded here")
        take(page, "demo")
    for width, height, scale, scheme in ((3840, 2160, 1, "light"), (1280, 720, 2, "dark"),
                                         (1280, 720, 1, "dark")):
        with Page(view.address, width, height, scale, scheme) as page:
            page.findings()
            page.still()
            take(page, f"demo-{width}x{height}-{scale * 100}-{scheme}")
            check(not page.clipped(), f"demo: nothing is cut at {width}x{height}", page.clipped())

# --- pushed off its CPU
if SYSTEM and shutil.which("taskset"):
    shutil.copy(shutil.which("bash"), "busybody")
    busy = subprocess.Popen(["taskset", "-c", CPU, "./busybody", "-c", "while :; do :; done"])
    try:
        record("preempted", "taskset", "-c", CPU, MANDELBROT, "-w", "640", "-h", "480", "-n", "60")
    finally:
        busy.kill()
        busy.wait()
    with View("--no-open", "preempted") as view, Page(view.address) as page:
        page.findings()
        thread = "thread:" + next(row["words"] for row in page.rows()
                                  if row["kind"] == "thread" and row["tracks"] > 1)
        check(page.colours(thread).get(FOR_CPU, 0) > 50,
              "preempted: the thread is seen to wait for its CPU", page.colours(thread))
        waits = [row for row in page.select(*page.shown())["Thread states"]
                 if row["state"] == "wait_cpu" and "busybody" in row["name"]]
        check(waits and waits[0]["within_ns"] > 10**7, "preempted: for whom, and how long",
              [row["name"] for row in waits])
        take(page, "preempted")
        # Close to one call: running, then waiting, who had the CPU.
        call = page.run("""
            const calls = app.rows.shown.find(row => row.kind === "thread" && row.tracks.length > 1).tracks[1];
            const middle = (app.range.begin + app.range.end) / 2;
            let best = null;
            app.tiles.visit(calls, app.pane.level, middle, app.range.end, false, (tile) => {
                for (let i = 0; i < tile.count && !best; i++)
                    if (tile.begin[i] > middle && tile.spans[i] === 1 && tile.end[i] - tile.begin[i] > 3e6)
                        best = [tile.begin[i], tile.end[i]];
            });
            return best;""")
        check(call, "preempted: there is a long call", call)
        page.run("app.select(null)")
        page.show(call[0] - (call[1] - call[0]) * 0.3, call[1] + (call[1] - call[0]) * 0.3)
        page.browser.click(*page.place(thread, sum(call) / 2, 1))
        page.wait("return app.detail")
        page.still()
        said = page.text("details")
        check("runnable" in said and "running" in said,
              "preempted: a call's details say how long it waited for its CPU", said)
        take(page, "preempted-call")
else:
    skip("preempted", "the scheduler cannot be recorded here, or there is no taskset")

# --- two processes on one device
record("shared", "sh", "-c", f"{MANDELBROT} -w 400 -h 300 -n 30 & {MANDELBROT} -w 640 -h 480 -n 20 & wait")
with View("--no-open", "shared") as view, Page(view.address) as page:
    page.findings()
    rows = page.rows()
    processes = [row for row in rows if row["kind"] == "process"]
    # A shell that makes no calls has a row, and so may a child that a process forks for a moment.
    drawing = [row for row in processes if row["words"].startswith("mandelbrot") and row["note"]]
    check(len(drawing) == 2, "shared: two processes", processes)
    check(sorted(row["items"] for row in kernels(page)) == [21, 31], "shared: with their kernels",
          kernels(page))
    device = [row for row in rows if row["kind"] == "kernels" and row["words"] == "kernels"]
    check([row["items"] for row in device] == [52], "shared: the device has those of both", device)
    take(page, "shared")

# --- many threads
record("threads", str(BUILD / "tests" / "programs" / "threads"), "24", "8")
with View("--no-open", "threads") as view, Page(view.address) as page:
    threads = [row for row in page.rows() if row["kind"] == "thread"]
    check(len(threads) >= 24, "threads: each has a row", page.words())
    take(page, "threads")

Page.close_browser()
finish()
