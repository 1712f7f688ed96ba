#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command explains itself; what nobody knows is wrong usage.
. "$TANDEM_SOURCE/tests/lib/check.sh"

check_status 0 "--version" "$TANDEM" --version
check_text "says a number" '^tandem [0-9]+\.[0-9]+\.[0-9]+$' check.out
check_status 0 "--help" "$TANDEM" --help
cp check.out help
check_same "help goes to stdout alone" "$(cat check.err)" ""

for verb in record pause resume stop status report print findings view diff export sql system doctor; do
	check_text "--help names $verb" "^  $verb " help
	check_status 0 "$verb --help" "$TANDEM" $verb --help
	check_text "$verb --help shows its usage" "^Usage: tandem $verb" check.out
	check_status 2 "$verb refuses an unknown option" "$TANDEM" $verb --no-such-option
	check_text "$verb points to its help" "tandem $verb --help" check.err
	check_same "$verb complains on stderr alone" "$(cat check.out)" ""
	check_text "$verb names it" "^tandem: unrecognized option '--no-such-option'$" check.err
	check_status 2 "$verb refuses an unknown letter" "$TANDEM" $verb -Q
	check_text "$verb names that" "^tandem: unrecognized option '-Q'$" check.err
	check_status 2 "$verb --help takes no value" "$TANDEM" $verb --help=yes
	check_text "and says so" "^tandem: option '--help' takes no argument$" check.err
	"$TANDEM" $verb --help >plain
	check_status 0 "help $verb" "$TANDEM" help $verb
	check_same "is $verb --help" "$(cat check.out)" "$(cat plain)"
	check_text "$verb has a man page" "SYNOPSIS|^\.so man1/" \
		"$TANDEM_SOURCE/man/tandem-$verb.1"
done

check_status 2 "record -o without a name" "$TANDEM" record -o
check_text "which is said" "^tandem: option '-o' requires an argument$" check.err
check_status 2 "the begin of several options" "$TANDEM" record --sn true
check_text "which is said" "^tandem: option '--sn' may be one of several$" check.err
check_status 2 "--unwind dwarf without --sample" "$TANDEM" record --unwind dwarf true
check_text "which is said" "needs --sample" check.err
check_status 0 "help alone" "$TANDEM" help
check_same "is --help" "$(cat check.out)" "$(cat help)"
check_status 2 "help of what is no command" "$TANDEM" help recrod
"$TANDEM" print --help >plain
check_text "print says what no limit is" "0 is all of them" plain
check_status 2 "no command" "$TANDEM"
check_status 2 "an unknown command" "$TANDEM" recrod
check_text "suggests the near one" 'did you mean `record`' check.err
check_status 2 "a command like no other" "$TANDEM" frobnicate
check_text "does not suggest" 'tandem --help' check.err
check_status 2 "an option before the command" "$TANDEM" --output x record true
finish
