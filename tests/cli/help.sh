#!/bin/sh
# Every verb explains itself; what nobody knows is wrong usage.
set -u
failed=0
fail() {
	echo "$*"
	failed=1
}
"$TANDEM" --version | grep -Eq '^tandem [0-9]+\.[0-9]+' || fail "--version"
"$TANDEM" --help >help || fail "--help"
"$TANDEM" 2>err >out && fail "no verb is accepted"
[ $? -le 2 ] || fail "no verb: wrong status"
"$TANDEM" recrod 2>err && fail "an unknown verb is accepted"
"$TANDEM" recrod 2>err
[ $? -eq 2 ] || fail "an unknown verb: wrong status"
grep -q 'did you mean `record`' err || fail "no suggestion: $(cat err)"
exit $failed
