# SPDX-License-Identifier: MIT
"""For the tests of XPTI: programs under a dispatcher with subscribers, ours or Intel's.

    run([PROGRAMS / "xpti-threads"], OURS, [COUNT])          .out .err .status .counts
    for release in releases(): python(release), dispatcher(release)

Intel's releases are used where tests/xpti/environment put them, and never downloaded here.
"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import check, skip  # noqa: E402

BUILD = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve()
SOURCE = pathlib.Path(os.environ["TANDEM_SOURCE"]).resolve()
PROGRAMS = BUILD / "tests" / "xpti"
EXAMPLES = BUILD / "examples" / "xpti"
SOURCES = SOURCE / "tests" / "xpti" / "programs"
OURS = BUILD / "src" / "xpti" / "libxptifw.so"
COUNT = PROGRAMS / "xpti-count.so"
PRINTER = EXAMPLES / "printer.so"
CACHE = pathlib.Path(os.environ.get("TANDEM_CACHE") or pathlib.Path.home() / ".cache" / "tandem")
RELEASES = ("2024.2", "2026.2")
# Which functions the proxies of a release ask for (tests/xpti/programs/dispatcher.h).
GENERATION = {"2024.2": "earlier", "2026.2": "later"}


def need_dispatcher():
    """Ends the test as skipped where there is none."""
    if not OURS.exists():
        print("no dispatcher was built: it needs a C++ compiler")
        sys.exit(77)


def folder(release):
    return CACHE / ("sycl-" + release)


def releases(words="Intel's runtime"):
    """Those that are there; the others are skipped aloud."""
    found = []
    for release in RELEASES:
        if (folder(release) / "complete").exists():
            found.append(release)
        else:
            skip(f"{words} {release}", f"not here; tests/xpti/environment {release} brings it")
    return found


def dispatcher(release):
    return folder(release) / "lib" / "libxptifw.so"


def runtime(release):
    """The environment in which a program finds that runtime and its OpenCL CPU driver."""
    lib = folder(release) / "lib"
    return {"LD_LIBRARY_PATH": str(lib), "OCL_ICD_FILENAMES": str(lib / "libintelocl.so"),
            "OCL_ICD_VENDORS": "/nonexistent", "ONEAPI_DEVICE_SELECTOR": "opencl:cpu"}


def python(release):
    return folder(release) / "bin" / "python"


def built(release):
    """The C++ program; None: it can't be built for that release (which has no headers), or here."""
    home = folder(release)
    if not (home / "include" / "sycl").is_dir():
        return None
    compiler = shutil.which("g++")
    if not compiler:
        skip(f"{release}: a program in C++", "no g++ here")
        return None
    done = subprocess.run([compiler, "-std=c++17", "-w", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING",
                           f"-I{home}/include", SOURCES / "sycl_graph.cpp", f"-L{home}/lib", "-lsycl",
                           f"-Wl,-rpath,{home}/lib", "-o", "sycl_graph"], text=True,
                          capture_output=True)
    check(done.returncode == 0, f"{release}: the program in C++ is built", done.stderr)
    return os.path.abspath("sycl_graph") if done.returncode == 0 else None


class Run:
    def __init__(self, command, dispatcher=None, subscribers=(), enable="1", env=None, timeout=100):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("XPTI_")}
        environment.update(env or {})
        counts = pathlib.Path("counts")
        counts.unlink(missing_ok=True)
        if dispatcher:
            environment["XPTI_FRAMEWORK_DISPATCHER"] = str(dispatcher)
        if subscribers:
            environment["XPTI_SUBSCRIBERS"] = ",".join(map(str, subscribers))
        if enable is not None:
            environment["XPTI_TRACE_ENABLE"] = enable
        environment["COUNT_FILE"] = str(counts.resolve())
        done = subprocess.run([str(part) for part in command], env=environment, text=True,
                              errors="replace", capture_output=True, timeout=timeout)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.counts = {}
        if counts.exists():
            for line in counts.read_text(errors="replace").splitlines():
                name, _, number = line.rpartition(" ")
                self.counts[name.rstrip(":")] = int(number)

    def shown(self):
        return f"status {self.status}\n{self.out}{self.err}"


run = Run


def differences(a, b, leave_out=()):
    """Of two sets of counts, without the names that contain one of `leave_out`."""
    return [f"{name}: {a.get(name, 0)}, {b.get(name, 0)}" for name in sorted(a.keys() | b.keys())
            if a.get(name, 0) != b.get(name, 0) and not any(part in name for part in leave_out)]
