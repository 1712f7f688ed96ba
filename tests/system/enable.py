#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tandem system enable and disable: on copies of the files that it edits, and for real, for a
user who is made for it, in a mount namespace where /etc and the homes are this test's."""
import json
import os
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD
from tap import check, finish, skip, TANDEM

HERE = os.getcwd()
ROOT = os.path.join(HERE, "root")
UID = os.geteuid()
# Not where others may write: the library has to be safe as well.
LIBRARY = str(BUILD / "libtandem.so.0")


def system(*words, **more):
    return subprocess.run([TANDEM, "system", *words], capture_output=True, text=True, **more)


def tree(top):
    """Every file and folder with its mode and content."""
    found = {}
    for folder, _, files in os.walk(top):
        found[os.path.relpath(folder, top)] = os.stat(folder).st_mode
        for name in files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[os.path.relpath(path, top)] = (status.st_mode,
                                                 open(path, "rb").read() if stat.S_ISREG(status.st_mode) else b"")
    return found


def make(files):
    shutil.rmtree(ROOT, ignore_errors=True)
    for name, text in files.items():
        path = os.path.join(ROOT, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o644)
    return tree(ROOT)


def there_and_back(words, files, *more):
    before = make(files)
    done = system("enable", "--root", ROOT, *more)
    if not check(done.returncode == 0, f"{words}: enable", done):
        return
    status = json.loads(system("status", "--root", ROOT, "--format", "json", *more).stdout)
    check(status["enabled"] == "yes" and tree(ROOT) != before, f"{words}: enabled", status)
    first = tree(ROOT)
    system("enable", "--root", ROOT, *more)
    check(tree(ROOT) == first, f"{words}: again changes nothing")
    done = system("disable", "--root", ROOT, *more)
    check(done.returncode == 0 and tree(ROOT) == before, f"{words}: disable, to the byte",
          (done, tree(ROOT), before))


def value(text, name):
    return [line.partition("=")[2] for line in text.splitlines() if line.startswith(name + "=")][-1]


HOME = os.path.expanduser("~").lstrip("/")
USER = ["--user"]
ENVIRONMENT = 'PATH="/usr/bin:/bin"\nLANG=C.UTF-8\n'
if LIBRARY.startswith("/tmp/"):
    print("the build is where others may write")
    sys.exit(77)
probe = make({f"{HOME}/x": ""}) and system("enable", "--root", ROOT, *USER)
if probe.returncode and "could change" in probe.stderr:
    print(probe.stderr)
    sys.exit(77)

there_and_back("a home without files", {f"{HOME}/x": ""}, *USER)
there_and_back("a profile", {f"{HOME}/.profile": "umask 022\n", f"{HOME}/.bash_profile": ". ~/.profile\n"},
               *USER)
there_and_back("an empty profile", {f"{HOME}/.profile": ""}, *USER)
there_and_back("a profile whose last line has no end", {f"{HOME}/.profile": "a=1\nb=2"}, *USER)
if UID:
    skip("all users", "needs root")
else:
    there_and_back("all users", {"etc/environment": ENVIRONMENT, "etc/environment.d/10-x.conf": "A=1\n"})
    there_and_back("all users, no file yet", {"etc/passwd": ""})

    # What others have there stays, and is continued where it is a list.
    make({"etc/environment": ENVIRONMENT + 'OPENCL_LAYERS="/opt/a.so"\nexport CUDA_INJECTION64_PATH=/opt/b.so\n'
          "XPTI_TRACE_ENABLE=0\n"})
    system("enable", "--root", ROOT, "--inject", "both")
    path = os.path.join(ROOT, "etc/environment")
    text = open(path, encoding="utf-8").read()
    check(value(text, "OPENCL_LAYERS") == f"/opt/a.so:{BUILD}/libtandem-opencl.so", "a list goes on", text)
    check(value(text, "TANDEM_CUDA_INJECTION") == "/opt/b.so" and value(text, "CUDA_INJECTION64_PATH") == LIBRARY,
          "another tool's library is handed on", text)
    check(value(text, "XPTI_TRACE_ENABLE") == "0", "what is another's to say stays", text)
    check(value(text, "LD_PRELOAD") == LIBRARY, "--inject both preloads")

    # Edited in between, before and after our lines.
    text = text.replace("LANG=C.UTF-8", "LANG=de_DE.UTF-8") + "EDITOR=vi\n"
    open(path, "w", encoding="utf-8").write(text)
    system("disable", "--root", ROOT)
    left = open(path, encoding="utf-8").read()
    check(left == ENVIRONMENT.replace("C.UTF-8", "de_DE.UTF-8") + 'OPENCL_LAYERS="/opt/a.so"\nexport '
          "CUDA_INJECTION64_PATH=/opt/b.so\nXPTI_TRACE_ENABLE=0\nEDITOR=vi\n", "edits in between stay", left)
    make({"etc/environment": "A=1"})
    system("enable", "--root", ROOT)
    open(path, "a", encoding="utf-8").write("B=2\n")
    system("disable", "--root", ROOT)
    check(open(path).read() == "A=1\nB=2\n", "a line after ours keeps its own", open(path).read())

    # One mark is gone: nothing is guessed.
    system("enable", "--root", ROOT)
    text = open(path, encoding="utf-8").read()
    open(path, "w", encoding="utf-8").write(text.replace("# tandem system: end\n", ""))
    before = tree(ROOT)
    done = system("disable", "--root", ROOT)
    check(done.returncode == 1 and path in done.stderr and tree(ROOT) == before, "a mark is missing", done)

# What is not safe is refused, and nothing at all is changed.
PROFILE = os.path.join(ROOT, HOME, ".profile")


def refused(words, said, spoil):
    make({f"{HOME}/.profile": "a=1\n", f"{HOME}/.bash_profile": "b=1\n"})
    spoil()
    before = tree(ROOT)
    done = system("enable", "--root", ROOT, *USER)
    check(done.returncode == 1 and said in done.stderr and tree(ROOT) == before, f"refused: {words}", done)


def link():
    os.rename(PROFILE, PROFILE + ".real")
    os.symlink(".profile.real", PROFILE)


refused("a file that others may write", "chmod go-w", lambda: os.chmod(PROFILE, 0o666))
refused("a folder that others may write", "chmod go-w", lambda: os.chmod(os.path.dirname(PROFILE), 0o777))
refused("a link", "symbolic link", link)
refused("a second name", "second name", lambda: os.link(PROFILE, PROFILE + ".too"))
refused("no file", "ordinary file", lambda: (os.unlink(PROFILE), os.mkfifo(PROFILE)))
make({f"{HOME}/.profile": "a=1\n"})
os.mkdir("open")
os.chmod("open", 0o777)
for name in os.listdir(BUILD):
    if name.startswith("libtandem") and ".so" in name and os.path.isfile(BUILD / name):
        shutil.copy(BUILD / name, "open")
before = tree(ROOT)
done = system("enable", "--root", ROOT, *USER, env={**os.environ, "TANDEM_LIBRARY": f"{HERE}/open/libtandem.so.0"})
check(done.returncode == 1 and "others may write" in done.stderr and tree(ROOT) == before,
      "refused: a library that others may write", done)
if not UID:
    make({f"{HOME}/.profile": "a=1\n"})
    os.chown(PROFILE, 61001, 61001)
    done = system("enable", "--root", ROOT, *USER)
    check(done.returncode == 1 and "another user" in done.stderr, "refused: another's file", done)
    make({"etc/x": ""})
    os.symlink("/nonexistent", os.path.join(ROOT, "etc/environment"))
    before = tree(ROOT)
    done = system("enable", "--root", ROOT)
    check(done.returncode == 1 and tree(ROOT) == before, "refused: /etc/environment is a link", done)

for words in (["enable", "disable"], [], ["frobnicate"], ["record", "--for", "soon"], ["enable", "--inject", "x"],
              ["enable", "--root", "here"]):
    done = system(*words)
    check(done.returncode == 2 and not done.stdout, f"wrong usage: {' '.join(words) or 'nothing'}", done)

# For real: a new user logs in.
SCRIPT = r"""
set -e
mount --make-rprivate /
mkdir etc home shm
cp -a /etc/. etc
mount --bind etc /etc
mount --bind home /home
mount --bind shm /dev/shm
chmod 1777 /dev/shm
useradd -m -s /bin/bash thrown
cp -a /etc etc.before; cp -a /home home.before
login() { su - thrown -c "$1"; }
echo "plain $(login 'echo $TANDEM_SYSTEM')"
login "$TANDEM system enable -q"
echo "user $(login 'echo $TANDEM_SYSTEM $OPENCL_LAYERS')"
echo "sh $(su -s /bin/sh - thrown -c 'echo $TANDEM_SYSTEM')"
login "$TANDEM system doctor" >doctor && echo "doctor $?"
login "$TANDEM system disable -q"
echo "off $(login 'echo $TANDEM_SYSTEM')"
"$TANDEM" system enable -q
echo "all $(login 'echo $TANDEM_SYSTEM $OPENCL_LAYERS')"
echo "steps $(login "echo calls 1 | OCL_ICD_VENDORS=$1 $2")"
echo "page $(stat -c '%a %U' /dev/shm/tandem-$(id -u thrown))"
"$TANDEM" system disable -q
diff -r --no-dereference /etc etc.before && diff -r --no-dereference /home home.before && echo same
"""
if UID or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode:
    skip("a user's login", "needs root and a mount namespace")
elif not shutil.which("useradd") or not shutil.which("su"):
    skip("a user's login", "no useradd, or no su")
else:
    os.makedirs("real")
    os.chmod(HERE, 0o755)
    os.chmod("real", 0o755)
    env = {**os.environ, "TANDEM": TANDEM}
    env.pop("TANDEM_SYSTEM", None)
    done = subprocess.run(["unshare", "-m", "bash", "-c", SCRIPT, "bash", BUILD / "tests/stubs/libstubcl.so",
                           BUILD / "tests/programs/steps"], cwd="real", env=env, capture_output=True, text=True)
    said = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    layer = f"{BUILD}/libtandem-opencl.so"
    check(said.get("plain") == "", "before", done)
    check(said.get("user") == f"/dev/shm {layer}", "enabled by the user: a login has it", done)
    check(said.get("sh") == "/dev/shm", "that of another shell too", done)
    check(said.get("doctor") == "0", "and the doctor is content", done)
    check(said.get("off") == "", "disabled: the next login does not", done)
    check(said.get("all") == f"/dev/shm {layer}", "enabled for all users: once each", done)
    check(said.get("steps", "").startswith("ok") and said.get("page") == "700 thrown",
          "a program of the user's waits", done)
    check("same" in said, "and everything is as it was, to the byte", done)
finish()
