#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a session goes, and what is said when it can't.
. "$TANDEM_SOURCE/tests/lib/check.sh"

check_status 0 "a directory of its own" "$TANDEM" record true
made=$(ls -d tandem-true-*)
check_text "is named after program and time" '^tandem-true-[0-9]{8}-[0-9]{6}$' - <<END
$made
END
check_same "is the user's alone" "$(stat -c %a "$made")" 700
check_same "its files too" "$(stat -c %a "$made/control")" 600
for i in 1 2 3 4; do
	"$TANDEM" record -q true
done
check_same "several in one second do not meet" "$(ls -d tandem-true-* | wc -l)" 5
check_same "an odd program name" "$(
	printf 'exit 0' >'a b'
	chmod +x 'a b'
	"$TANDEM" record -q './a b'
	ls -d 'tandem-a b-'* | wc -l
)" 1

check_status 0 "-o" "$TANDEM" record -o one true
check_status 1 "an existing directory is refused" "$TANDEM" record -o one touch ran
check_text "with words that help" 'one already exists.*--force' check.err
check_same "before the program ran" "$(ls ran 2>/dev/null)" ""
check_status 0 "--force replaces a session" "$TANDEM" record -o one --force true
mkdir empty
# As `tandem view` left it there until it had a cache.
: >one/timeline.index
check_status 0 "--force replaces a session that was viewed" "$TANDEM" record -o one --force true
check_status 0 "--force takes an empty directory" "$TANDEM" record -o empty --force true
mkdir foreign
echo precious >foreign/file
check_status 1 "--force leaves other directories alone" "$TANDEM" record -o foreign --force true
check_same "with all that is in them" "$(cat foreign/file)" precious
echo precious >one/notes
check_status 1 "--force leaves a session with other files" "$TANDEM" record -o one --force true
check_same "complete" "$(ls one | grep -vx kernel)" "control
notes
schema
session.json"
ln -s foreign link
check_status 1 "--force follows no link" "$TANDEM" record -o link --force true
echo file >plain
check_status 1 "--force replaces no file" "$TANDEM" record -o plain --force true
check_same "whatever it is" "$(cat plain)" file
"$TANDEM" record -q -o busy sleep 5 &
recorder=$!
while ! [ -e busy/session.json ]; do sleep 0.05; done
check_status 1 "--force leaves a session that is being recorded" \
	"$TANDEM" record -o busy --force true
check_text "and says so" 'still being recorded' check.err
kill $recorder
wait $recorder
check_status 0 "and takes it afterwards" "$TANDEM" record -o busy --force true

check_status 0 "parents that are missing are made" "$TANDEM" record -o new/such/place true
check_status 0 "and hold the session" test -f new/such/place/session.json
check_status 1 "a parent that is a file" "$TANDEM" record -o plain/place touch ran
long=$(printf 'x%.0s' $(seq 300))
check_status 1 "a name that is too long" "$TANDEM" record -o "$long" touch ran
mkdir readonly
if mount -t tmpfs -o ro,size=64k tandem-test readonly 2>/dev/null; then
	check_status 1 "a read-only place" "$TANDEM" record -o readonly/place touch ran
	check_text "says why" 'Read-only file system' check.err
	umount readonly
elif [ "$(id -u)" -ne 0 ]; then
	chmod 500 readonly
	check_status 1 "a read-only place" "$TANDEM" record -o readonly/place touch ran
else
	skip "mount is not permitted here" "a read-only place"
fi
mkdir full
if mount -t tmpfs -o size=64k tandem-test full 2>/dev/null; then
	cat /dev/zero >full/ballast 2>/dev/null
	check_status 1 "a full disk" "$TANDEM" record -o full/place touch ran
	check_text "says why" 'No space left' check.err
	check_same "leaves nothing" "$(ls full)" ballast
	umount full
else
	skip "mount is not permitted here" "a full disk"
fi
check_same "no program ran in vain" "$(ls ran 2>/dev/null)" ""

mkdir 'x y'
check_status 0 "a name with dots and blanks" "$TANDEM" record -o './x y/../three' true

"$TANDEM" record -q -o described --args full --limit-size 1M -- sh -c 'exit 5' 'a "b"
c'
check "session.json says what was run" python3 - described/session.json "$PWD" <<'END'
import json, os, sys, time
said = json.load(open(sys.argv[1]))
assert said["command"] == ["sh", "-c", "exit 5", 'a "b"\nc'], said["command"]
assert os.path.basename(said["program"]) == "sh"
assert said["cwd"] == sys.argv[2] and said["host"] == os.uname().nodename
assert said["exit"] == {"code": 5}
assert said["options"]["args"] == "full" and said["options"]["limit_bytes"] == 1 << 20
assert {"opencl", "cuda"} <= set(said["options"]["domains"])
assert abs(said["start_realtime_ns"] / 1e9 - time.time()) < 60
assert said["start"].startswith(time.strftime("%Y-", time.gmtime())) and said["start"].endswith("+00:00")
took = said["end"]["monotonic_ns"] - said["start_monotonic_ns"]
ticks = said["end"]["ticks"] - said["start_ticks"]
assert 0 < took < 10e9
# The rate is nominal, within what it says of itself and the width of the pairs.
slack = took * said["clock"]["rate_error_ppm"] / 1e6 + 2000
assert abs(ticks / said["ticks_hz"] * 1e9 - took) < slack, (ticks / said["ticks_hz"] * 1e9, took)
assert set(said["losses"].values()) == {0}
END
"$TANDEM" record -q -o signalled sh -c 'kill -USR1 $$'
check "and the signal that ended it" grep -q '"signal": 10' signalled/session.json
"$TANDEM" record -q -o running sleep 60 &
recorder=$!
while ! [ -e running/session.json ]; do sleep 0.05; done
check "is there from the start, without an end" python3 -c '
import json
said = json.load(open("running/session.json"))
assert "end" not in said and "exit" not in said and said["command"] == ["sleep", "60"]'
kill $recorder
wait $recorder
check "and is complete after the end" grep -q '"signal": 15' running/session.json
check_same "no draft is left" "$(ls running | grep -vx kernel)" "control
schema
session.json"
finish
