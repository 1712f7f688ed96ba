# SPDX-License-Identifier: MIT
"""A real browser for tests: headless Chromium through the WebDriver protocol
(W3C WebDriver), with nothing but the standard library.

    browser = Browser.start()          # None where there is no Chromium
    browser.open("http://127.0.0.1:8000/")
    browser.run("return document.title")
    browser.press("w")
    browser.picture("page.png")
    browser.stop()
"""
import atexit
import base64
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Shift": "\ue008", "Control": "\ue009",
        "Alt": "\ue00a", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Tab": "\ue004"}


PR_SET_PDEATHSIG = 1

SCRIPT_S = 100  # that a script may take, where the machine is busy


def _end_with_parent():
    """A test that is killed leaves no browser behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Browser:
    @staticmethod
    def missing():
        """Why there is no browser, or None."""
        for tool in ("chromedriver", "chromium"):
            if not shutil.which(tool):
                return f"{tool} is not installed (Debian: tools/install-deps view)"
        return None

    @classmethod
    def start(cls, width=1280, height=720, scale=1, dark=False, prefix=None):
        return None if cls.missing() else cls(width, height, scale, dark, prefix)

    def __init__(self, width, height, scale, dark, prefix):
        self.profile = tempfile.mkdtemp(prefix="tandem-browser.", dir=prefix)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}", "--silent"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=_end_with_parent, env=dict(os.environ, HOME=self.profile, TMPDIR=self.profile))
        self.base = f"http://127.0.0.1:{port}"
        self.session = None
        atexit.register(self.stop)
        self._wait_for_driver()
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars=false", "--no-first-run", "--disable-extensions",
                     "--enable-precise-memory-info", f"--user-data-dir={self.profile}/profile",
                     f"--window-size={width},{height}", f"--force-device-scale-factor={scale}",
                     "--force-color-profile=srgb"]
        if dark:
            arguments.append("--force-dark-mode")
        options = {"binary": shutil.which("chromium"), "args": arguments}
        answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "timeouts": {"script": SCRIPT_S * 1000},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def _wait_for_driver(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise RuntimeError("chromedriver does not answer")

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=SCRIPT_S + 20) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def stop(self):
        atexit.unregister(self.stop)
        try:
            if self.session:
                self._ask("DELETE", self.session)
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def open(self, address):
        self._ask("POST", self.session + "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs JavaScript and returns what it returns; it may await."""
        return self._ask("POST", self.session + "/execute/sync", {
            "script": "return (async () => {" + script + "}).apply(null, arguments)",
            "args": list(arguments)})

    def wait(self, script, *arguments, seconds=60):
        """Waits until the script returns something true; returns it."""
        end = time.monotonic() + seconds
        while True:
            value = self.run("const value = await (async () => {" + script + "})();"
                             # What is no plain value counts as true.
                             "try { JSON.stringify(value); return value; } "
                             "catch (error) { return true; }", *arguments)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.03)

    def size(self, width, height):
        """Of the part of the window that the page has."""
        self._ask("POST", self.session + "/goog/cdp/execute", {
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}})

    def scaled(self, width, height, scale):
        """Same, in CSS pixels of `scale` device pixels."""
        self._ask("POST", self.session + "/goog/cdp/execute", {
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": width, "height": height, "deviceScaleFactor": scale,
                       "mobile": False}})

    def prefer(self, scheme):
        self._ask("POST", self.session + "/goog/cdp/execute", {
            "cmd": "Emulation.setEmulatedMedia",
            "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def picture(self, path):
        data = self._ask("GET", self.session + "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What the page and the browser wrote on the console."""
        return [entry["message"] for entry in
                self._ask("POST", self.session + "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    # --- as a user

    def press(self, *keys):
        """press("w"), press("Shift", "n"): the last one while the others are held."""
        codes = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": code} for code in codes]
        actions += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self._act([{"type": "key", "id": "keys", "actions": actions}])

    def type(self, text):
        actions = []
        for letter in text:
            actions += [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
        self._act([{"type": "key", "id": "keys", "actions": actions}])

    def move(self, x, y):
        self._act([self._pointer([self._to(x, y)])])

    def click(self, x, y, count=1, hold=None):
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act(self._held(self._pointer([self._to(x, y)] + press * count), hold))

    def drag(self, x, y, to_x, to_y, hold=None):
        self._act(self._held(self._pointer([
            self._to(x, y), {"type": "pointerDown", "button": 0},
            self._to((x + to_x) // 2, (y + to_y) // 2), self._to(to_x, to_y),
            {"type": "pointerUp", "button": 0}]), hold))

    def wheel(self, x, y, by, hold=None):
        act = {"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": by,
             "duration": 0}]}
        self._act(self._held(act, hold))

    @staticmethod
    def _to(x, y):
        return {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}

    @staticmethod
    def _pointer(actions):
        return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                "actions": actions}

    @staticmethod
    def _held(act, key):
        """The act while a key is held."""
        if not key:
            return [act]
        pause = {"type": "pause", "duration": 0}
        keys = [{"type": "keyDown", "value": KEYS[key]}] + [pause] * len(act["actions"]) + \
            [{"type": "keyUp", "value": KEYS[key]}]
        act["actions"] = [pause] + act["actions"]
        return [{"type": "key", "id": "keys", "actions": keys}, act]

    def _act(self, actions):
        self._ask("POST", self.session + "/actions", {"actions": actions})
