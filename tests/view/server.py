#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server of the timeline: who may ask it, what it makes of nonsense, a port in
use, no browser, sessions that it cannot read, its end.

tandem-test: waits
"""
import http.client
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish, skip, wait_for
from traces import cached, synthetic
from viewing import View

synthetic("made", records=5000, threads=2)


def ask(port, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


with View("--no-open", "made") as view:
    port = int(re.search(r":(\d+)/", view.address)[1])
    token = view.address.rstrip("/").rsplit("/", 1)[1]
    base = f"/{token}/"

    status, headers, body = ask(port, base)
    check(status == 200 and b"<title>Tandem</title>" in body, "the page comes", status)
    policy = headers.get("Content-Security-Policy", "")
    check("default-src 'none'" in policy and "http:" not in policy and "*" not in policy,
          "which may fetch nothing from elsewhere", policy)
    check(body.count(b"<script") == 1 and ask(port, base + "page.js")[0] == 200,
          "its scripts are one, which the browser asks for once")
    check(b"http://" not in body.replace(b"http://www.w3.org", b"") and b"https://" not in body,
          "and names no other site")
    status, _, body = ask(port, base + "model")
    model = json.loads(body)
    check(status == 200 and model["sessions"][0]["events"] == 5000, "it answers", status)
    check("Access-Control-Allow-Origin" not in ask(port, base + "model")[1],
          "but not for another site's script")

    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for words, path, more in (
            ("without the token", "/", {}),
            ("with a wrong token", f"/{wrong}/", {}),
            ("with half of it", f"/{token[:16]}/", {}),
            ("with more than it", f"/{token}0/", {}),
            ("of a page below a wrong token", f"/{wrong}/model", {}),
            ("by another name", base, {"Host": f"evil.example:{port}"}),
            ("from another site", base + "model", {"Origin": "http://evil.example"}),
            ("from another site's page", base + "model", {"Sec_Fetch_Site": "cross-site"})):
        status, _, body = ask(port, path, **more)
        check(status == 403 and b"5000" not in body, f"403: a request {words}", (status, body[:200]))

    for words, path, wanted in (
            ("an unknown page", "nothing", 404), ("one outside", "../../etc/passwd", 404),
            ("an unknown session", "tiles?session=7&level=0&first=0&last=0&tracks=0", 400),
            ("a level that is none", "tiles?session=0&level=99&first=0&last=0&tracks=0", 400),
            ("a track that is none", "tiles?session=0&level=1&first=0&last=0&tracks=999999", 400),
            ("tiles without end", "tiles?session=0&level=1&first=0&last=999999&tracks=0-9", 400),
            ("numbers that are none", "select?session=0&from=x&to=1e9", 400),
            ("numbers beyond all", "select?session=0&from=-99999999999999999999&to=1", 400),
            ("an item that is none", "detail?session=0&track=0&item=4000000000", 400),
            ("bins without end", "marks?session=0&labels=0&from=0&to=1&bins=99999999", 400),
            ("a list that is none", "search?session=0&labels=1,,-", 400)):
        status, _, body = ask(port, base + path)
        check(status == wanted, f"{wanted}: {words}", (status, body[:200]))
    status, _, _ = ask(port, base, method="POST")
    check(status == 405, "it only answers", status)
    done = wait_for(lambda: json.loads(ask(port, base + "findings?session=0")[2])["state"] == "done")
    told = json.loads(ask(port, base + "findings?session=0")[2])
    said = subprocess.run([TANDEM, "findings", "--all", "--format", "json", "made"],
                          capture_output=True, text=True)
    check(done and told["findings"] == json.loads(said.stdout)["findings"],
          "its findings are those of `tandem findings`", (told, said.stdout))

    # A port in use, and a second view of the same session.
    second = View("--no-open", "--port", str(port), "made")
    status, said = second.end()
    check(status == 1 and f"port {port}" in said and "--port" in said and not second.address,
          "a port in use is told, and how to mend it", (status, said))
    with View("--no-open", "made") as other:
        check(other.address and other.address != view.address, "a second view has a port of its own")
    listening = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True)
    if listening.returncode == 0 and listening.stdout:
        check("127.0.0.1" in listening.stdout and "0.0.0.0:" + str(port) not in listening.stdout,
              "it listens on 127.0.0.1 alone", listening.stdout)
    try:
        socket.create_connection((socket.gethostbyname(socket.gethostname()), port), 1).close()
        outside = socket.gethostbyname(socket.gethostname()).startswith("127.")
    except OSError:
        outside = True
    check(outside, "and is not reached by the machine's name")
    status, said = view.end()
    check(status == 0, "Ctrl-C ends it well", (status, said))

# --- the browser
opener = os.path.abspath("opener")
with open(opener, "w") as file:
    file.write("#!/bin/sh\necho \"$1\" >opened\n")
os.chmod(opener, 0o755)
with View("made", env={"BROWSER": opener}) as view:
    check(wait_for(lambda: os.path.exists("opened") and os.path.getsize("opened")),
          "the browser is opened")
    with open("opened") as file:
        ticket = file.read().strip()
    port = int(re.search(r":(\d+)/", view.address)[1])
    check(ticket.startswith(f"http://127.0.0.1:{port}/") and
          view.address.rstrip("/").rsplit("/", 1)[1] not in ticket,
          "with an address that does not hold the token", ticket)
    path = ticket[len(f"http://127.0.0.1:{port}"):]
    first, headers, _ = ask(port, path)
    again, _, _ = ask(port, path)
    check(first == 302 and headers["Location"].endswith(view.address.split(str(port), 1)[1]),
          "which leads to the page", (first, headers))
    check(again == 403, "once", again)
view = View("made")
time.sleep(0.2)
status, said = view.end()
check(status == 0 and "no browser" in said and view.address, "without a browser the address serves", said)

# --- what cannot be read
for words, argument in (("no such session", "no-such"), ("a folder that is none", "/tmp"),
                        ("a file", opener)):
    view = View("--no-open", argument)
    status, said = view.end()
    check(status == 1 and argument in said and said.count("\n") == 1, f"{words} is told", said)
for words, arguments in (("a port that is none", ["--port", "0", "made"]),
                         ("a port beyond all", ["--port", "70000", "made"])):
    view = View(*arguments)
    status, said = view.end()
    check(status == 2 and "tandem view --help" in said, f"{words} is wrong usage", said)

# --- connections that never finish a request, more than a process may have open by default
with View("--no-open", "made") as view:
    port = int(re.search(r":(\d+)/", view.address)[1])
    path = "/" + view.address.split("/", 3)[3]
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, limit[1]), limit[1]))
    keep = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    keep.request("GET", path)
    keep.getresponse().read()
    idle = []
    for _ in range(1300):
        held = socket.create_connection(("127.0.0.1", port), timeout=5)
        held.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
        idle.append(held)
    begun = time.monotonic()
    try:
        status = ask(port, path)[0]
    except OSError as error:
        status = error
    check(status == 200, "1,300 half requests lock nobody out", status)
    check(time.monotonic() - begun < 5, "nor keep anybody waiting", time.monotonic() - begun)
    keep.request("GET", path)
    check(keep.getresponse().read(), "who has the address keeps its connection")
    for held in idle:
        held.close()
    half = socket.create_connection(("127.0.0.1", port), timeout=30)
    half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
    check(half.recv(1000) is not None and time.monotonic() - begun < 30, "a half request has an end")
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)

# --- the index, which is kept in the user's cache
index = cached("made", "timeline.index")
stamp = os.stat(index).st_mtime_ns
View("--no-open", "made").end()
check(os.stat(index).st_mtime_ns == stamp, "the index is made once")
with open(index, "r+b") as file:
    file.seek(500)
    file.write(b"\xff" * 64)
with View("--no-open", "made") as view:
    check(view.address, "a damaged index does no harm")
with open(index, "wb") as file:
    file.write(b"no index")
with View("--no-open", "made") as view:
    check(view.address and os.path.getsize(index) > 1000, "and is made anew")
check(sorted(os.listdir(os.path.dirname(index))) == ["path", "timeline.index"],
      "nothing else stays behind", os.listdir(os.path.dirname(index)))
check("timeline.index" not in os.listdir("made"), "nothing is written beside the trace")
for words, place in (("without a cache", "/nowhere/at/all"), ("with a file in its place", opener)):
    with View("--no-open", "made", env={"XDG_CACHE_HOME": place}) as view:
        check(view.address, f"{words} it shows the trace all the same")
os.mkdir("full")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tandem-test", "full"],
                  capture_output=True, check=False).returncode == 0:
    with View("--no-open", "made", env={"XDG_CACHE_HOME": os.path.abspath("full")}) as view:
        check(view.address, "with a full disk for its cache it shows the trace all the same",
              view.end()[1])
    subprocess.run(["umount", "-l", "full"], check=False)
else:
    skip("a full disk for the cache", "mount is not permitted here")
shutil.copytree("made", "moved")
View("--no-open", "moved").end()
gone = cached("moved", "timeline.index")
shutil.rmtree("moved")
synthetic("another", records=100)
View("--no-open", "another").end()
check(gone and not os.path.exists(os.path.dirname(gone)) and os.path.exists(index),
      "the index of a session that is gone goes when another is made")
finish()
