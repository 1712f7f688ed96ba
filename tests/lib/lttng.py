# SPDX-License-Identifier: MIT
"""LTTng's daemons as a private instance: their own sockets and shared memory, no kernel.

    import lttng
    lttng.start()                 # or says why not, and ends the test as skipped
    lttng.run("create", "one", "--output=trace")
    ...                           # all that this process starts finds them; stopped at exit

As root the daemons' places are fixed, so the test moves into a mount namespace of its own
with empty folders there, and into a network of its own for the relay daemon's ports.
"""
import atexit
import os
import shutil
import signal
import subprocess
import sys
import time

_daemons = []


def _private():
    """The same program again, where /run/lttng and /dev/shm are its own."""
    if os.geteuid() or os.environ.get("TANDEM_LTTNG_PRIVATE"):
        return
    os.makedirs("/run/lttng", exist_ok=True)
    script = ("mount --make-rprivate / && mount -t tmpfs tmpfs /run/lttng && "
              "mount -t tmpfs tmpfs /dev/shm && ip link set lo up && exec \"$@\"")
    if subprocess.run(["unshare", "-m", "-n", "sh", "-c", script, "sh", "true"],
                      stderr=subprocess.DEVNULL).returncode:
        print("no mount namespace can be had for daemons of its own")
        sys.exit(77)
    os.environ["TANDEM_LTTNG_PRIVATE"] = "1"
    os.execvp("unshare", ["unshare", "-m", "-n", "sh", "-c", script, "sh", sys.executable, *sys.argv])


def run(*words, **more):
    """LTTng's client, which may wait for ever for a daemon that stood still: once more then."""
    command = ["lttng", "--no-sessiond", *words]
    options = dict(capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    try:
        return subprocess.run(command, **{"timeout": 60, **options})
    except subprocess.TimeoutExpired:
        return subprocess.run(command, **{"timeout": 60, **options})


def need(done):
    if done.returncode:
        raise SystemExit(f"{done.args}: {done.stdout}{done.stderr}")
    return done


def stop():
    """No daemon runs any more."""
    for daemon in reversed(_daemons):
        daemon.terminate()
    for daemon in reversed(_daemons):
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
    # Consumers are children of the session daemon, in a session of their own.
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                mine = f"LTTNG_HOME={os.environ['LTTNG_HOME']}".encode() in file.read()
            with open(f"/proc/{name}/comm", encoding="utf-8") as file:
                if mine and file.read().startswith("lttng-"):
                    os.kill(int(name), signal.SIGKILL)
        except (OSError, ValueError):
            pass


def daemon(*words):
    """Starts one of LTTng's daemons, to be stopped at exit."""
    _daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return _daemons[-1]


def start():
    if not shutil.which("lttng-sessiond") or not shutil.which("lttng"):
        print("LTTng is not installed (lttng-tools)")
        sys.exit(77)
    if not os.path.exists(os.path.join(os.environ["TANDEM_BUILD"], "libtandem-lttng.so")):
        print("built without LTTng-UST (liblttng-ust-dev)")
        sys.exit(77)
    _private()
    home = os.path.abspath("lttng-home")
    os.makedirs(home, exist_ok=True)
    os.environ["LTTNG_HOME"] = home
    atexit.register(stop)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    daemon("lttng-sessiond", "--no-kernel")
    for _ in range(600):
        if not run("list").returncode:
            return
        time.sleep(0.05)
    print("lttng-sessiond does not answer")
    sys.exit(1)
