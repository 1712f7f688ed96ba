# SPDX-License-Identifier: MIT
"""Folders with Debian packages and all that they depend on, unpacked and not installed: for
libraries that conflict with what the machine has, or bring another libc. Made once, in the
cache; a test that may not download skips."""
import fcntl
import os
import shutil
import subprocess

CACHE = os.environ.get("TANDEM_CACHE") or os.path.expanduser("~/.cache/tandem")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SOURCES = "Types: deb\nURIs: http://deb.debian.org/debian\nSuites: %s\nComponents: main\nSigned-By: %s\n"


def made(suite, package):
    """The folder, or None and why not."""
    place = os.path.join(CACHE, "%s-%s" % (suite, package))
    root = os.path.join(place, "root")
    if os.path.isdir(root):
        return root, ""
    if not shutil.which("apt-get") or not os.path.exists(KEYRING):
        return None, "not a Debian machine"
    os.makedirs(place, exist_ok=True)
    # Tests that run at the same time want the same one: the second finds what the first made.
    with open(os.path.join(place, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (root, "") if os.path.isdir(root) else unpacked(suite, package, place, root)


def unpacked(suite, package, place, root):
    apt = os.path.join(place, "apt")
    for folder in ("etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/apt/apt.conf.d",
                   "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/lib/dpkg"):
        os.makedirs(os.path.join(apt, folder), exist_ok=True)
    open(os.path.join(apt, "var/lib/dpkg/status"), "a").close()
    with open(os.path.join(apt, "etc/apt/sources.list.d/debian.sources"), "w", encoding="utf-8") as file:
        file.write(SOURCES % (suite, KEYRING))
    command = ["apt-get", "-qq", "-o", "Dir=" + apt, "-o", "Dir::State::status=%s/var/lib/dpkg/status" % apt,
               "-o", "APT::Install-Recommends=false", "-o", "APT::Sandbox::User=root",
               "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=10"]
    try:
        for words in (["update"], ["install", "-y", "--download-only", package]):
            subprocess.run(command + words, check=True, capture_output=True, timeout=90)
        archives = os.path.join(apt, "var/cache/apt/archives")
        partial = root + ".partial"
        shutil.rmtree(partial, ignore_errors=True)
        for name in sorted(os.listdir(archives)):
            if name.endswith(".deb"):
                subprocess.run(["dpkg", "-x", os.path.join(archives, name), partial], check=True)
        os.rename(partial, root)
    except (subprocess.SubprocessError, OSError) as error:
        return None, "the packages can't be had: %s" % error
    return root, ""


def libraries(root):
    """For --library-path: packages before the merge of /usr have both."""
    return ":".join(os.path.join(root, folder) for folder in
                    ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))


def command(root, words):
    """A program of this machine, on the folder's libc and libraries. By a shell: the loader
    itself is a static program."""
    loader = next(path for path in (os.path.join(place, "ld-linux-x86-64.so.2")
                                    for place in libraries(root).split(":")) if os.path.exists(path))
    return ["sh", "-c", 'exec "$0" --library-path "$1" "$2"', loader, libraries(root), *words]
