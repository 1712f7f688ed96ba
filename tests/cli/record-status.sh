#!/bin/sh
# SPDX-License-Identifier: MIT
# `tandem record` ends as its program ends, and refuses in the shells' words.
. "$TANDEM_SOURCE/tests/lib/check.sh"
record="$TANDEM record -o session --force"

check_status 0 "status 0" $record true
check_status 1 "status 1" $record false
check_status 42 "status 42" $record sh -c 'exit 42'
check_status 255 "status 255" $record sh -c 'exit 255'

for signal in SEGV ABRT KILL TERM INT PIPE; do
	python3 - $record -- sh -c "kill -$signal \$\$" <<'END'
import signal, subprocess, sys
name = sys.argv[-1].split()[1][1:]
got = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode
sys.exit(got != -signal.Signals["SIG" + name])
END
	check_same "dies of SIG$signal as its program" $? 0
done

check_status 127 "a program that does not exist" "$TANDEM" record -o fresh no-such-program
check_same "in the shells' words" "$(cat check.err)" "tandem: no-such-program: command not found"
check_status 127 "a path that does not exist" "$TANDEM" record -o fresh ./no-such-program
check_same "in their words" "$(cat check.err)" "tandem: ./no-such-program: No such file or directory"
echo text >plain
check_status 126 "a file that is not executable" "$TANDEM" record -o fresh ./plain
check_same "in their words" "$(cat check.err)" "tandem: ./plain: Permission denied"
mkdir -p bin/folder
check_status 126 "a directory" "$TANDEM" record -o fresh ./bin/folder
printf '\177ELF garbage' >garbage
chmod +x garbage
check_status 126 "a broken program" "$TANDEM" record -o fresh ./garbage
printf '#!/no/such/interpreter\n' >orphan
chmod +x orphan
check_status 126 "a script without its interpreter" "$TANDEM" record -o fresh ./orphan
check_status 127 "a name that is empty" "$TANDEM" record -o fresh ''
check_same "none of them left a directory" "$(ls -d fresh 2>&1 | grep -c '^fresh')" 0

# The search of execvp(3): what may not be run is passed over, and remembered.
printf 'exit 7' >bin/odd
PATH=$PWD/bin:$PATH check_status 126 "found in PATH, not executable" "$TANDEM" record -o fresh odd
mkdir -p other
printf 'exit 7' >other/odd
chmod +x other/odd
PATH=$PWD/bin:$PWD/other:$PATH check_status 7 "the next of that name in PATH" $record odd
check_status 7 "a script without #! is the shell's" $record other/odd
printf '#!/bin/sh\nexit 8\n' >script
chmod +x script
check_status 8 "a script with #!" $record ./script
: >empty
chmod +x empty
check_status 0 "an empty script" $record ./empty

check_status 0 "-- ends the options" $record -- sh -c 'test "$1" = --force' sh --force
check_status 0 "the program's options are its own" $record sh -c 'test "$1" = -o' sh -o
printf 'word\n  two words\n$x\n' >expected
$record printf '%s\n' word '  two words' '$x' >actual 2>/dev/null
check "words arrive as they are" cmp expected actual

check_status 2 "no program" "$TANDEM" record
check_status 2 "no program after --" "$TANDEM" record --
check_status 2 "-o without a name" "$TANDEM" record -o
check_status 2 "-o with an empty name" "$TANDEM" record -o '' true
check_status 2 "an unknown level" "$TANDEM" record --args some true
check_text "names the option" "^tandem: --args: invalid value 'some'" check.err
check_status 2 "an unknown domain" "$TANDEM" record --domains opengl3 true
check_status 2 "no domain at all" "$TANDEM" record --domains '' true
check_status 2 "a part of a domain" "$TANDEM" record --domains cudart true
check_status 0 "all domains but one" $record --domains -cuda true
check_text "the others are recorded" '"domains": .*"opencl"' session/session.json
check_same "and that one is not" "$(grep -c '"domains".*"cuda"' session/session.json)" 0
check_status 2 "an unknown part of CUDA" "$TANDEM" record --cuda frobnicate true
check_status 2 "nothing of CUDA" "$TANDEM" record --cuda '' true
check_status 2 "a size that is none" "$TANDEM" record --limit-size many true
check_status 2 "a wait that is none" "$TANDEM" record --exit-wait -5 true
check_status 2 "device timing that is neither" "$TANDEM" record --device-timing maybe true
check_same "wrong usage leaves no directory" "$(ls -d tandem-* 2>/dev/null)" ""
check_status 0 "every option at once" $record --domains opencl --args full --device-timing off \
	--start-paused --limit-size 1.5M --exit-wait 10 --inject both --clock monotonic -q true
check_same "--quiet is quiet" "$(cat check.err)" ""
finish
