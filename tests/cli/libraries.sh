#!/bin/sh
# SPDX-License-Identifier: MIT
# What serves the timeline is loaded by `tandem view` alone: with all that it needs itself, it was
# half of each command's start.
. "$TANDEM_SOURCE/tests/lib/check.sh"

if [ -n "$TANDEM_SANITIZE" ]; then
	echo "a sanitizer's runtime lists other libraries"
	exit 77
fi
LD_TRACE_LOADED_OBJECTS=1 "$TANDEM" >loaded
grep -q 'libc\.so' loaded
check "the libraries of the command are listed" [ $? = 0 ]
if grep -E 'microhttpd|gnutls' loaded; then status=1; else status=0; fi
check "no web server among them" [ $status = 0 ]

soname=$(strings -a "$TANDEM" 2>/dev/null | grep -m 1 '^libmicrohttpd\.so')
if [ -n "$soname" ]; then
	"$TANDEM" record -q -o session true
	mkdir broken
	: >"broken/$soname"
	check_status 1 "one that cannot be loaded" \
		env LD_LIBRARY_PATH="$PWD/broken" "$TANDEM" view --no-open session
	check_text "is named" "$soname cannot be loaded" check.err
fi
finish
