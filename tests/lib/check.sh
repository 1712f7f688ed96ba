# SPDX-License-Identifier: MIT
# For the tests that are shell scripts: each check prints one line of TAP.
#
#   . "$TANDEM_SOURCE/tests/lib/check.sh"
#   check "true succeeds" true
#   check_status 3 "its status comes back" sh -c 'exit 3'
#   skip "no such thing here" "words"
#   finish
checks=0
failures=0

verdict() {
	checks=$((checks + 1))
	if [ "$1" = ok ]; then
		echo "ok $checks - $2"
	else
		failures=$((failures + 1))
		echo "not ok $checks - $2"
	fi
}

# check WORDS COMMAND...: succeeds
check() {
	words=$1
	shift
	if "$@" >check.out 2>check.err; then
		verdict ok "$words"
	else
		verdict bad "$words"
		sed 's/^/# /' check.out check.err
	fi
}

# check_status STATUS WORDS COMMAND...: ends with that status; its output stays
# in check.out and check.err
check_status() {
	expected=$1
	words=$2
	shift 2
	"$@" >check.out 2>check.err
	status=$?
	if [ $status -eq "$expected" ]; then
		verdict ok "$words"
	else
		verdict bad "$words"
		echo "# status $status, not $expected"
		sed 's/^/# /' check.out check.err
	fi
}

# check_text WORDS PATTERN FILE: a line matches the extended regular expression
check_text() {
	if grep -Eq -- "$2" "$3"; then
		verdict ok "$1"
	else
		verdict bad "$1"
		echo "# no line like: $2"
		sed 's/^/# /' "$3"
	fi
}

# check_same WORDS ACTUAL EXPECTED
check_same() {
	if [ "$2" = "$3" ]; then
		verdict ok "$1"
	else
		verdict bad "$1"
		echo "# is:     $2"
		echo "# not:    $3"
	fi
}

# skip WHY WORDS
skip() {
	checks=$((checks + 1))
	echo "ok $checks - $2 # SKIP $1"
}

finish() {
	[ "$checks" -gt 0 ] || exit 1
	[ "$failures" -eq 0 ]
	exit
}
