#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doctor tells a machine that records from one that does not."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM


def doctor(*words, **variables):
    return subprocess.run([TANDEM, "doctor", *words], capture_output=True, text=True,
                          env=dict(os.environ, **variables))


def states(said, name):
    return [c["state"] for c in json.loads(said.stdout)["checks"] if c["name"] == name]


os.mkdir("none")
bare = doctor("--format", "json", OCL_ICD_VENDORS=os.path.realpath("none"))
bare_works = {name: works for name, works in json.loads(bare.stdout).items() if isinstance(works, bool)}
# What needs no driver may be installed: CUDA's compiler.
status = 0 if any(works for name, works in bare_works.items() if name != "opencl") else 1
check(bare.returncode == status and bare_works["opencl"] is False, "no driver: status %d" % status, bare)
check("missing" in states(bare, "driver"), "says which part is missing", bare.stdout)
check("pocl-opencl-icd" in bare.stdout, "says the command that fixes it")

os.mkdir("broken")
open("broken/broken.icd", "w").write("/no/such/driver.so\n")
broken = doctor(OCL_ICD_VENDORS=os.path.realpath("broken"))
check(broken.returncode == status and "/no/such/driver.so" in broken.stdout, "a driver that does not load", broken)

source = "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\n"
if subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", "crash.so"], input=source,
                  text=True).returncode == 0:
    open("broken/broken.icd", "w").write(os.path.realpath("crash.so") + "\n")
    crash = doctor(OCL_ICD_VENDORS=os.path.realpath("broken"))
    check(crash.returncode == status and "crashes" in crash.stdout, "a driver that crashes", crash)
else:
    skip("a driver that crashes", "no compiler")

lost = doctor("--format", "json", TANDEM_LIBRARY="/no/such/libtandem.so")
check(lost.returncode == 1 and "missing" in states(lost, "libtandem.so"), "without libtandem.so", lost)

# The environment of the tests may have no OpenCL at all: then the two agree.
here = doctor("--format", "json")
said = json.loads(here.stdout)
runtimes = {name for name, works in said.items() if isinstance(works, bool)}
works = any(said[name] for name in runtimes)
check({"opencl", "cuda"} <= runtimes, "says of each runtime whether it can be recorded", runtimes)
check(here.returncode == (0 if works else 1), "status and words agree", here)
check({"clock", "kernel", "disk", "tools"} <= {c["area"] for c in said["checks"]}, "looks at the rest")
check(here.stderr == "", "and says nothing else", here.stderr)
areas = {c["area"].lower() for c in said["checks"]}
check({"opencl", "cuda"} <= areas, "each runtime is looked at", areas)
check(states(here, "libraries") == ["ok"] or
      all(c["state"] == "optional" and "built without" in c["description"] and c["fix"]
          for c in said["checks"] if c["area"] == "build"), "libraries that this build lacks",
      [c for c in said["checks"] if c["area"] == "build"])

# What may be recorded of the kernel is said as `record` finds it, and by the same command.
perf = next(c for c in said["checks"] if c["name"] == "perf events")
if os.geteuid() == 0:
    try:
        with open("/proc/sys/kernel/perf_event_paranoid") as file:
            level = int(file.read())
        PROGRAM = [TANDEM, "record", "-o", "theirs/run", "--", "/bin/true"]
        os.mkdir("theirs")
        os.chmod(".", 0o755)
        os.chown("theirs", 65534, 65534)
        as_nobody = dict(user=65534, group=65534, extra_groups=[], capture_output=True, text=True)
        told = subprocess.run([TANDEM, "doctor", "--format", "json"], **as_nobody)
        ran = subprocess.run(PROGRAM, **as_nobody)
        perf = next(c for c in json.loads(told.stdout)["checks"] if c["name"] == "perf events")
        recorded = os.path.exists("theirs/run/kernel")
        check({"partial": recorded, "optional": not recorded, "ok": recorded}[perf["state"]],
              "doctor says what an ordinary user gets", (perf, ran.stderr))
        check(perf["state"] == "ok" or perf["fix"] in ran.stderr,
              "doctor and record advise the same", (perf, ran.stderr))
        check(perf["state"] == "ok" or "paranoid=1" not in perf["fix"], "and what suffices", perf)
    except (PermissionError, FileNotFoundError) as error:
        skip("an ordinary user's doctor", str(error))
else:
    skip("an ordinary user's doctor", "it takes root to become one")
text = doctor()
check(("can be recorded" in text.stdout) == works and "\033" not in text.stdout, "the same in words")
if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    check(said["opencl"] and states(here, "device") and states(here, "layers") == ["ok"],
          "PoCL can be recorded", here.stdout)
else:
    skip("PoCL can be recorded", "PoCL is not installed")
build = os.environ["TANDEM_BUILD"]
loader = os.path.join(build, "tests", "stubs", "loader")
if os.path.exists(loader) and not os.environ.get("TANDEM_SANITIZE"):
    for protocol, state in (("properties", "ok"), ("init", "ok"), ("later", "optional"),
                            ("none", "optional")):
        stub = doctor("--format", "json", LD_LIBRARY_PATH=loader, LOADER_PROTOCOL=protocol,
                      OCL_ICD_VENDORS=os.path.join(build, "tests", "stubs", "libstubcl.so"))
        check(states(stub, "layers") == [state], f"a loader's layers: {protocol}", stub.stdout)
else:
    skip("a loader's layers", "the stub loader is not built here")
check(doctor("words").returncode == 2, "an argument is wrong usage")
check(doctor("--format", "xml").returncode == 2, "another format as well")
finish()
