#!/bin/sh
# SPDX-License-Identifier: MIT
# What reads, stores and serves is loaded by tandem-reader, and what serves the timeline by `tandem
# view` alone: with all that they need themselves, they were half of each recording's start.
. "$TANDEM_SOURCE/tests/lib/check.sh"

if [ -n "$TANDEM_SANITIZE" ]; then
	echo "a sanitizer's runtime lists other libraries"
	exit 77
fi
command=$TANDEM
if [ -x "$TANDEM_BUILD/tandem-loaded" ]; then
	if readelf -l "$TANDEM" | grep -q INTERP; then status=1; else status=0; fi
	check "the loader has nothing to do with the command" [ $status = 0 ]
	command=$TANDEM_BUILD/tandem-loaded
fi
LD_TRACE_LOADED_OBJECTS=1 "$command" >loaded
grep -q 'libc\.so' loaded
check "the libraries of the command are listed" [ $? = 0 ]
if grep -E 'microhttpd|gnutls' loaded; then status=1; else status=0; fi
check "no web server among them" [ $status = 0 ]
if grep -vE 'linux-vdso|/ld-linux|/ld64|libc\.so' loaded; then status=1; else status=0; fi
check "the C library is all that recording loads" [ $status = 0 ]

# Debug information of generated wrappers would be half of the file.
if command -v readelf >/dev/null; then
	readelf --debug-dump=info --dwarf-depth=1 "$TANDEM_BUILD/libtandem.so.0" >units 2>/dev/null
	if grep -q 'DW_AT_name.*/gen/' units; then status=1; else status=0; fi
	check "libtandem.so has no debug information of generated code" [ $status = 0 ]
fi

soname=$(strings -a "$TANDEM_BUILD/tandem-reader" 2>/dev/null | grep -m 1 '^libmicrohttpd\.so')
if [ -n "$soname" ]; then
	"$TANDEM" record -q -o session true
	mkdir broken
	: >"broken/$soname"
	check_status 1 "one that cannot be loaded" \
		env LD_LIBRARY_PATH="$PWD/broken" "$TANDEM" view --no-open session
	check_text "is named" "$soname cannot be loaded" check.err
fi
finish
