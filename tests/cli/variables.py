#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever the environment says, a program that has libtandem.so in it prints, ends and leaves
files as one without: variables that Tandem, or a runtime's loader for it, reads have values at
random, many of them hostile. TANDEM_TEST_SEED makes up others, TANDEM_TEST_ROUNDS makes more."""
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import rocm  # noqa: E402
from recording import PROGRAMS, STUB  # noqa: E402
from tap import TANDEM, check, finish, preload  # noqa: E402

BUILD = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve()
SEED = int(os.environ.get("TANDEM_TEST_SEED", 1))
ROUNDS = int(os.environ.get("TANDEM_TEST_ROUNDS", 30))
LIBRARY = str(BUILD / "libtandem.so.0")

# What Tandem's library reads (TANDEM_SINK=lttng asks for LTTng's threads, and gets them), and what loaders read that may name a library of Tandem's.
OURS = ["TANDEM_SESSION", "TANDEM_SYSTEM", "TANDEM_SINK", "TANDEM_ARGS", "TANDEM_CUPTI",
        "TANDEM_LIBRARY", "TANDEM_ROCPROFILER", "TANDEM_CUDA_INJECTION"]
LOADERS = {"OPENCL_LAYERS": "libtandem-opencl.so", "HSA_TOOLS_LIB": "libtandem-hsa.so",
           "ROCPROFILER_REGISTER_LIBRARY": "libtandem-rocprofiler.so",
           "CUDA_INJECTION64_PATH": "libtandem.so.0", "NVTX_INJECTION64_PATH": "libtandem.so.0",
           "XPTI_SUBSCRIBERS": "libtandem-xpti.so"}
OTHERS = ["XPTI_TRACE_ENABLE", "XPTI_FRAMEWORK_DISPATCHER", "ROCP_TOOL_LIBRARIES", "CUDA_HOME"]

PLACES = pathlib.Path("places").resolve()
MINE = "tandem-%d" % os.geteuid()  # a user's folder in that of TANDEM_SYSTEM
FORGED = []
MAGIC = (0x74646e4154725463).to_bytes(8, "little")  # TANDEM_CONTROL_MAGIC; the version follows


def places_make():
    """What a path may lead to: files that are no libraries, folders that are no sessions."""
    subprocess.run([TANDEM, "record", "-q", "--kernel", "off", "-o", "real", "true"], check=True)
    page = pathlib.Path("real", "control").read_bytes()
    at = page.index(MAGIC)
    PLACES.mkdir()
    (PLACES / "empty").touch()
    (PLACES / "text.so").write_text("not a library\n")
    (PLACES / "cut.so").write_bytes(pathlib.Path(LIBRARY).read_bytes()[:100])
    (PLACES / "dangling").symlink_to("nowhere")
    (PLACES / "loop").symlink_to("loop")
    os.mkfifo(PLACES / "fifo")
    pages = {"none": None, "nothing": b"", "short": page[:100], "zeros": bytes(len(page)),
             "noise": random.Random(1).randbytes(len(page)),
             "version": page[:at + 8] + b"\xff\xff\xff\xff" + page[at + 12:],
             "magic": page[:at] + b"\0" + page[at + 1:]}
    for name, content in pages.items():
        (PLACES / name).mkdir()
        if content is not None:
            (PLACES / name / "control").write_bytes(content)
            (PLACES / name / MINE).mkdir(mode=0o700)
            (PLACES / name / MINE / "control").write_bytes(content)
            (PLACES / name / MINE / "control").chmod(0o600)
    for name, target in (("to-fifo", PLACES / "fifo"), ("to-zero", "/dev/zero"),
                         ("to-loop", PLACES / "loop"), ("to-folder", PLACES)):
        (PLACES / name).mkdir()
        (PLACES / name / "control").symlink_to(target)


def places_state():
    """All that is there, with what is in it, but for the folders that TANDEM_SYSTEM is to make."""
    state = {}
    for path in sorted(pathlib.Path(".").resolve().rglob("*")):
        if path.parent not in FORGED and MINE in path.parts:
            continue
        status = path.lstat()
        regular = path.is_file() and not path.is_symlink()
        state[str(path)] = (status.st_mode, path.read_bytes() if regular else None)
    return state


def value_any(rng):
    """No path that blocks whoever opens it: a loader would wait for good, without Tandem too."""
    return rng.choice([
        lambda: b"",
        lambda: b" ",
        lambda: bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 200))),
        lambda: bytes([rng.randrange(1, 256)]) * rng.randrange(1000, 60000),
        lambda: b"/" + b"a/" * rng.randrange(1, 3000),
        lambda: rng.choice([b"%s%n%d", b":::", b",;,", b"=", b"\n", b"-1", b"0", b"1", b"none", b"full",
                            b"lttng-", b"18446744073709551616", b"on", b"libm.so.6", b"libnone.so",
                            b"control", b".", b"..", b"/", b"/dev/null", b"/dev/zero", b"/dev/full",
                            b"/proc/self/exe", b"/proc/self/fd", b"/etc/passwd"]),
        lambda: os.fsencode(PLACES / rng.choice(["empty", "text.so", "cut.so", "dangling", "loop",
                                                 "none", "noise", "absent"])),
    ])()


def value_folder(rng):
    """Of variables that only Tandem's library reads as a folder."""
    if rng.random() < 0.3:
        return value_any(rng)
    names = [path.name for path in PLACES.iterdir()]
    return rng.choice([b"", b"/proc/self/cwd/"]) + os.fsencode(PLACES / rng.choice(sorted(names)))


def environment(rng):
    """For the program with the library, and for the one without, whose loaders are not told of
    Tandem's libraries."""
    traced, alone = {}, {}
    for name in OURS + list(LOADERS) + OTHERS:
        if rng.random() < 0.4:
            continue
        folder = name in ("TANDEM_SESSION", "TANDEM_SYSTEM")
        value = value_folder(rng) if folder else value_any(rng)
        if name in LOADERS and rng.random() < 0.6:
            traced[name] = os.fsencode(BUILD / LOADERS[name])
            if rng.random() < 0.3 and name == "OPENCL_LAYERS":
                alone[name] = value
                traced[name] = value + b":" + traced[name]
            continue
        traced[name] = alone[name] = value
    return traced, alone


def run(command, base, more):
    env = {os.fsencode(name): os.fsencode(value) for name, value in base.items()
           if name not in OURS + list(LOADERS) + OTHERS}
    env.update({os.fsencode(name): value for name, value in more.items()})
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "no end after 60 s"
    return done.returncode, done.stdout, done.stderr


home = pathlib.Path("home").resolve()
home.mkdir()
base = dict(os.environ, HOME=str(home), TMPDIR=str(home), OCL_ICD_VENDORS=str(STUB),
            LTTNG_UST_REGISTER_TIMEOUT="0")
programs = {
    "linked with OpenCL": ([PROGRAMS / "linked"], {}),
    "OpenCL, opened": ([PROGRAMS / "dynamic"], {}),
    "HIP 5": ([rocm.program("5.7")], {"LD_LIBRARY_PATH": rocm.environment("5.7")["LD_LIBRARY_PATH"]}),
    "HIP 6": ([rocm.program("6.3")], {"LD_LIBRARY_PATH": rocm.environment("6.3")["LD_LIBRARY_PATH"]}),
    "HSA": ([BUILD / "tests" / "stubs" / "hsa" / "hsa-program"], {}),
    "CUDA": ([BUILD / "tests" / "stubs" / "cuda" / "replay",
              os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "graph.replay")],
             {}),
    "no runtime at all": (["/bin/ls", "places"], {}),
}
places_make()
FORGED.extend(PLACES.glob("*/" + MINE))
before = places_state()
print("# TANDEM_TEST_SEED=%d" % SEED)
for what, (command, more) in programs.items():
    wrong = []
    done = run(command, dict(base, **more), {})
    check(done[0] == 0, what + ": it runs", done)
    for number in range(ROUNDS):
        seed = "%d/%s/%d" % (SEED, what, number)
        traced, alone = environment(random.Random(seed))
        without = run(command, dict(base, **more), alone)
        found = run(command, dict(base, **more), dict(traced, LD_PRELOAD=os.fsencode(preload(LIBRARY))))
        after = places_state()
        if found != without or after != before:
            changed = sorted(set(after.items()) ^ set(before.items()), key=str)
            wrong.append((seed, {name: value[:80] for name, value in traced.items()}, without, found,
                          [name for name, _ in changed]))
            before = after
    check(not wrong, "%s: as without it, %d times (seed %d)" % (what, ROUNDS, SEED), wrong[:1])
finish()
