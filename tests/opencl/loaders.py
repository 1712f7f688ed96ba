#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loaders: each way in which one takes a layer, or takes none; several layers, and
several loaders; and what is said of a program whose calls could not be seen."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD, compare, DRIVERS, LAYER, layer_counts, PROGRAMS, run
from tap import check, finish, skip, TANDEM

LOADERS = BUILD / "tests" / "stubs" / "loader"
OURS = BUILD / "libtandem-opencl.so"
if not LOADERS.exists():
    skip("loaders", "the stub loader is not built here")
    finish()
    sys.exit()
STUB = dict(DRIVERS["stub"], LD_LIBRARY_PATH=str(LOADERS))
WAYS = (["linked"], ["dynamic"], ["dynamic", "again"], ["dynamic-linked"])
log = pathlib.Path("log").resolve()


def steps():
    """What the loader did, a line for each layer and step."""
    if not log.exists():
        return []
    lines = log.read_text().splitlines()
    log.unlink()
    return lines


def said(command, env, *options):
    """What the end of `tandem record` says."""
    words = [TANDEM, "record", "-o", "said", "--force", "--kernel", "off", *options, *map(str, command)]
    return subprocess.run(words, env=dict(os.environ, **{k: str(v) for k, v in env.items()}),
                          capture_output=True, text=True, check=False).stderr


# Each loader takes the layer in its own way, and is left as it expects it.
for protocol in ("properties", "init"):
    for name, *words in WAYS:
        command = [PROGRAMS / name, *words]
        what = f"{protocol}: {' '.join([name, *words])}"
        env = dict(STUB, LOADER_PROTOCOL=protocol, LOADER_LOG=log)
        alone = run(command, env=env)
        calls = run(command, env=env, calls=True).calls
        steps()
        for inject in ("both", "layer"):
            recorded = run(command, "basic", env=env, options=["--inject", inject])
            compare(f"{what}, {inject}", alone, recorded)
            recorded.session.verify(f"{what}, {inject}", calls)
            times = 3 if words == ["again"] else 1
            expected = ["libtandem-opencl.so is taken"]
            if protocol == "properties":
                expected.append("deinit done")
            done = steps()
            check(done == expected * times, f"{what}, {inject}: is taken, and let go of", done)
        check("libOpenCL" not in said(command, env), f"{what}: and nothing is said of it")

# Properties: none are known.
for properties, taken in (("null", True), ("empty", True), ("unknown", False)):
    env = dict(STUB, LOADER_PROPERTIES=properties, LOADER_LOG=log)
    log.unlink(missing_ok=True)
    alone = run([PROGRAMS / "dynamic"], env=env)
    recorded = run([PROGRAMS / "dynamic"], "basic", env=env)
    compare(f"{properties} properties", alone, recorded)
    check(bool(recorded.session.calls()) == taken and
          (steps()[0] == "libtandem-opencl.so is taken") == taken,
          f"{properties} properties: {'taken' if taken else 'refused'}")

# A loader with fewer functions than we know: those that it has are recorded.
for entries in ("149", "108", "80"):
    env = dict(STUB, LOADER_ENTRIES=entries)
    for name in ("linked", "dynamic"):
        calls = run([PROGRAMS / name], env=STUB, calls=True).calls
        alone = run([PROGRAMS / name], env=env)
        recorded = run([PROGRAMS / name], "basic", env=env)
        compare(f"{entries} functions: {name}", alone, recorded)
        recorded.session.verify(f"{entries} functions: {name}", calls)
env = dict(STUB, LOADER_ENTRIES="0")
compare("a loader without functions", run([PROGRAMS / "dynamic"], env=env),
        run([PROGRAMS / "dynamic"], "basic", env=env))

# Other layers. They export what we export, and call it in themselves; whether they
# are before or behind ours, they see what they saw, and so do we.
for protocol in ("properties", "init"):
    for name, *words in WAYS:
        what = f"{protocol}: {' '.join([name, *words])} with"
        counts = os.path.abspath("counts")
        env = dict(STUB, LOADER_PROTOCOL=protocol, LOADER_LOG=log, LAYER_COUNTS=counts)
        command = [PROGRAMS / name, *words]
        alone = run(command, env=dict(env, OPENCL_LAYERS=LAYER))
        expected = layer_counts(counts)
        os.unlink(counts)
        steps()
        for place, layers in (("behind ours", f"{LAYER}"), ("before ours", f"{OURS}:{LAYER}")):
            recorded = run(command, "basic", env=dict(env, OPENCL_LAYERS=layers))
            compare(f"{what} a layer {place}", alone, recorded)
            seen = layer_counts(counts)
            os.unlink(counts)
            # Behind ours, our own questions to the driver come to it as well.
            check(all(seen[fn] >= count for fn, count in expected.items()) and
                  (place == "behind ours" or name != "dynamic" or seen == expected),
                  f"{what} a layer {place}: it sees the program's calls",
                  f"{expected} {seen}")
            taken = steps()
            check(taken.count(f"{LAYER.name} is taken") == (3 if words == ["again"] else 1),
                  f"{what} a layer {place}: it is taken", taken)
            if place == "behind ours":
                recorded.session.verify(f"{what} a layer {place}", expected)
# Around ours, the preload leads past the other layer; so ours steps back, and says so.
env = dict(STUB, LAYER_COUNTS=os.path.abspath("counts"), OPENCL_LAYERS=f"{OURS}:{LAYER}")
check("names another layer after Tandem's" in said([PROGRAMS / "dynamic"], env),
      "a layer before ours is said")
calls = run([PROGRAMS / "linked"], env=STUB, calls=True).calls
run([PROGRAMS / "linked"], "basic", env=env).session.verify("linked, a layer before ours", calls)
calls = run([PROGRAMS / "dynamic"], env=STUB, calls=True).calls
recorded = run([PROGRAMS / "dynamic"], "basic", env=env, options=["--inject", "layer"])
recorded.session.verify("dynamic, by layer, a layer before ours", calls)

# Loaders that do not take it. Only what nobody could see is complained of.
TOLD = "did not take Tandem's layer"
for protocol in ("later", "none"):
    env = dict(STUB, LOADER_PROTOCOL=protocol)
    for words, told in ((["linked"], protocol == "later"), (["dynamic", "two"], True),
                        (["dynamic", "idle"], False), (["dynamic-linked", "idle"], False)):
        command = [PROGRAMS / words[0], *words[1:]]
        if words[-1] == "two":
            command.append(LOADERS / "libOpenCL2.so.1")
        what = f"{protocol}: {' '.join(words)}"
        compare(what, run(command, env=env), run(command, "basic", env=env))
        end = said(command, env)
        check((TOLD in end.splitlines()[-1]) == told, f"{what}: {'is' if told else 'is not'} said",
              end)
        check(TOLD not in said(command, env, "--domains", "cuda"),
              f"{what}: nor where OpenCL is not recorded")
        if words[0] == "dynamic":
            check(TOLD not in said(command, env, "--inject", "preload"),
                  f"{what}: nor without the layer")
check("--inject preload" in said([PROGRAMS / "dynamic"], STUB, "--inject", "preload"),
      "what a preload cannot see is said")
check(TOLD not in said(["/bin/true"], STUB), "a program without OpenCL")

# Two loaders in one process: the second one's calls pass, and that is said.
command = [PROGRAMS / "dynamic", "two", LOADERS / "libOpenCL2.so.1"]
calls = run([PROGRAMS / "dynamic"], env=STUB, calls=True).calls
for protocol in ("properties", "init"):
    env = dict(STUB, LOADER_PROTOCOL=protocol)
    recorded = run(command, "basic", env=env)
    compare(f"{protocol}: two loaders", run(command, env=env), recorded)
    recorded.session.verify(f"{protocol}: two loaders", calls)
    check("second OpenCL loader" in said(command, env), f"{protocol}: two loaders: is said")

# After its end a loader answers as it does without us.
env = dict(STUB)
command = [PROGRAMS / "dynamic-linked", "ended"]
alone, recorded = run(command, env=env), run(command, "basic", env=env)
check("-59 -59" in alone.stdout, "a loader that has ended refuses", alone.stdout + alone.stderr)
compare("calls after the end", alone, recorded)

# Closed with a command under way: it is waited for where the loader says that it
# goes, else counted; nothing of a library that is gone is called.
for protocol, left in (("properties", 0), ("init", 1)):
    env = dict(STUB, LOADER_PROTOCOL=protocol, STUB_ENGINE="thread", STUB_DELAY_US="100000")
    command = [PROGRAMS / "dynamic", "leave"]
    alone, recorded = run(command, env=env), run(command, "basic", env=env)
    compare(f"{protocol}: closed with a command under way", alone, recorded)
    recorded.session.verify(f"{protocol}: closed with a command under way", unfinished=left)
finish()
