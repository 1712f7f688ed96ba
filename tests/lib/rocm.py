# SPDX-License-Identifier: MIT
"""The stub's HIP and HSA runtimes under the names of AMD's, and programs recorded with them."""
import os
import shutil
import subprocess

from tap import TANDEM

BUILD = os.environ["TANDEM_BUILD"]
STUBS = os.path.join(BUILD, "tests", "stubs", "hip")
# What a stub is, to the name of its library's file: as AMD and Debian have them.
VERSIONS = {"5.2": "libamdhip64.so.5.2.21153", "5.7": "libamdhip64.so.5.7.31921",
            "6.0": "libamdhip64.so.6.0.60000", "6.2": "libamdhip64.so.6.2.60202",
            "6.3": "libamdhip64.so.6.3.60300", "7.2": "libamdhip64.so.7.2.70200",
            "8.0": "libamdhip64.so.8.0.80000"}
# A runtime of a version that is not known yet: the newest stub under its name. And two of HIP 6's.
STUB_OF = {"8.0": "7.2", "6.0": "6.3", "6.2": "6.3"}


def runtime(version, folder="."):
    """A folder for LD_LIBRARY_PATH."""
    folder = os.path.abspath(os.path.join(folder, "hip-" + version))
    if not os.path.isdir(folder):
        os.makedirs(folder)
        name = VERSIONS[version]
        stub = STUB_OF.get(version, version)
        shutil.copy(os.path.join(STUBS, "libamdhip64-%s.so" % stub), os.path.join(folder, name))
        os.symlink(name, os.path.join(folder, "libamdhip64.so." + stub[0]))
    return folder


def program(version):
    return os.path.join(STUBS, "hip-program-" + STUB_OF.get(version, version)[0])


def environment(version, **more):
    path = ":".join([runtime(version), STUBS])
    return dict(os.environ, LD_LIBRARY_PATH=path, **more)


def run(command, version, **more):
    return subprocess.run(command, env=environment(version, **more), text=True,
                          capture_output=True, check=False)


def record(session, version, *options, words=(), command=None, **more):
    return run([TANDEM, "record", "--kernel", "off", "-o", session, *options, *(command or [program(version), *words])],
               version, **more)
