#!/bin/sh
# SPDX-License-Identifier: MIT
# What the recorded program finds in its environment.
. "$TANDEM_SOURCE/tests/lib/check.sh"
library=$(realpath "$TANDEM_BUILD/libtandem.so.0")
layer=$(realpath "$TANDEM_BUILD/libtandem-opencl.so")

# shown NAME [ASSIGNMENT...] [-- OPTION...]: the variable that the program has
shown() {
	name=$1
	shift
	"$TANDEM" record -q -o session --force "$@" sh -c "printf %s \"\$$name\"" 2>&1
}

if [ -z "${TANDEM_SANITIZE-}" ]; then
	check_same "LD_PRELOAD" "$(shown LD_PRELOAD)" "$library"
	check_same "before what is there" "$(LD_PRELOAD=libm.so.6 shown LD_PRELOAD)" \
		"$library:libm.so.6"
	check_same "not twice" "$(LD_PRELOAD="libm.so.6 $library" shown LD_PRELOAD)" \
		"libm.so.6 $library"
	check_same "not with --inject layer" "$(shown LD_PRELOAD --inject layer)" ""
else
	skip "this build brings a sanitizer's runtime along" "LD_PRELOAD"
fi
check_same "OPENCL_LAYERS" "$(shown OPENCL_LAYERS)" "$layer"
check_same "behind what is there" "$(OPENCL_LAYERS=/a.so:/b.so shown OPENCL_LAYERS)" \
	"/a.so:/b.so:$layer"
check_same "not twice" "$(OPENCL_LAYERS="$layer:/a.so" shown OPENCL_LAYERS)" "$layer:/a.so"
check_same "an empty one is none" "$(OPENCL_LAYERS='' shown OPENCL_LAYERS)" "$layer"
check_same "not with --inject preload" "$(shown OPENCL_LAYERS --inject preload)" ""
if [ -e "$TANDEM_BUILD/src/xpti/libxptifw.so" ]; then
	subscriber=$(realpath "$TANDEM_BUILD/libtandem-xpti.so")
	check_same "XPTI_SUBSCRIBERS" "$(shown XPTI_SUBSCRIBERS)" "$subscriber"
	check_same "behind what is there" "$(XPTI_SUBSCRIBERS=/a.so shown XPTI_SUBSCRIBERS)" \
		"/a.so,$subscriber"
	check_same "its dispatcher" "$(shown XPTI_FRAMEWORK_DISPATCHER)" \
		"$(realpath "$TANDEM_BUILD/src/xpti/libxptifw.so")"
	check_same "none of it without the domain" \
		"$("$TANDEM" record -q -o session --force --domains opencl env | grep XPTI_)" ""
else
	skip "there is no dispatcher without a C++ compiler" "XPTI_SUBSCRIBERS"
fi
check_same "TANDEM_SESSION is absolute" "$(shown TANDEM_SESSION)" "$PWD/session"

# Everything else is as it was, in the same order.
"$TANDEM" record -q -o session --force env -0 | tr '\0' '\n' |
	grep -Ev '^(TANDEM_SESSION|LD_PRELOAD|OPENCL_LAYERS|(CUDA|NVTX)_INJECTION64_PATH|XPTI_.*|HSA_TOOLS_LIB|ROCPROFILER_REGISTER_LIBRARY|_)=' >inside
env -0 | tr '\0' '\n' | grep -Ev '^(LD_PRELOAD|XPTI_.*|_)=' >outside
check "nothing else changed" cmp inside outside

copy=$PWD/lib/copy.so
mkdir lib
cp "$library" "$copy"
check_status 1 "one without its layer is said before the start" \
	env TANDEM_LIBRARY=lib/copy.so "$TANDEM" record -o fresh touch ran
check_text "with its name" "libtandem-opencl.so is missing \\(looked for $PWD/lib/libtandem-opencl.so\\)" check.err
cp "$layer" "$(dirname "$layer")"/libtandem-*.so lib
check_same "TANDEM_LIBRARY names the library" \
	"$(TANDEM_LIBRARY=lib/copy.so shown CUDA_INJECTION64_PATH)" "$copy"
check_same "and the layer is next to it" \
	"$(TANDEM_LIBRARY=lib/copy.so shown OPENCL_LAYERS)" "$PWD/lib/libtandem-opencl.so"
check_status 1 "one that is missing is said before the start" \
	env TANDEM_LIBRARY=/no/such.so "$TANDEM" record -o fresh touch ran
check_text "with its name" 'libtandem.so is missing \(looked for /no/such.so\)' check.err
mkdir 'a b'
cp "$library" 'a b/copy.so'
cp "$layer" 'a b'
check_status 1 "a path that LD_PRELOAD cannot hold" \
	env TANDEM_LIBRARY='a b/copy.so' "$TANDEM" record -o fresh touch ran
check_text "is said" 'no path with blanks' check.err
check_same "nothing was run or made" "$(ls -d fresh ran 2>/dev/null)" ""

# Libraries of runtimes that are not there are looked for, and nobody is to see that.
cat >error.c <<END
#include <dlfcn.h>
#include <stdio.h>
int main(void) { const char *error = dlerror(); printf("[%s]", error ? error : ""); return 0; }
END
if gcc error.c -o error -ldl 2>/dev/null; then
	check_same "a program begins without an error of dlsym's" \
		"$("$TANDEM" record -q -o session --force ./error 2>&1)" "[]"
else
	skip "no C compiler here" "a program begins without an error of dlsym's"
fi

# AddressSanitizer's runtime must be the first library of its program.
cat >main.c <<END
#include <stdio.h>
#include <stdlib.h>
int main(void) { const char *p = getenv("LD_PRELOAD"); printf("[%s]", p ? p : ""); return 0; }
END
if [ -n "${TANDEM_SANITIZE-}" ]; then
	skip "this build brings a sanitizer's runtime along" "a program with AddressSanitizer"
elif gcc -fsanitize=address main.c -o with-asan 2>/dev/null; then
	check_same "a program with AddressSanitizer gets the layer alone" \
		"$("$TANDEM" record -q -o session --force ./with-asan 2>&1)" "[]"
	runtime=$(ldd ./with-asan | awk '/libasan/ { print $3 }')
	check_same "or ours behind a runtime that is preloaded" \
		"$(LD_PRELOAD=$runtime "$TANDEM" record -q -o session --force ./with-asan 2>&1)" \
		"[$runtime:$library]"
	check_same "unless told otherwise" "$(ASAN_OPTIONS=verify_asan_link_order=0 \
		"$TANDEM" record -q -o session --force --inject both ./with-asan 2>&1)" "[$library]"
else
	skip "gcc has no AddressSanitizer here" "a program with AddressSanitizer"
fi
if gcc -static main.c -o static 2>/dev/null; then
	check_same "a static program runs" \
		"$("$TANDEM" record -q -o session --force ./static 2>&1)" "[]"
	"$TANDEM" record -o session --force ./static >/dev/null 2>err
	check_text "and the last line says why there is nothing" 'statically linked' err
else
	skip "no static C library here" "a static program"
fi

# A program with an environment without us: known where programs are seen to begin.
unjoined='did not load Tandem for this recording'
"$TANDEM" record -o session --force sh -c 'true; sh -c true; env true' >/dev/null 2>err
check_same "programs without API calls have loaded Tandem" "$(grep -c "$unjoined" err)" 0
"$TANDEM" record -o session --force --inject layer env -i sleep 0.01 >/dev/null 2>err
check_same "with --inject layer nobody knows" "$(grep -c "$unjoined" err)" 0
"$TANDEM" record -o session --force --kernel off env -i sleep 0.01 >/dev/null 2>err
check_same "nor without kernel events" "$(grep -c "$unjoined" err)" 0
"$TANDEM" record -o session --force env -i sleep 0.01 >/dev/null 2>err
if grep -q 'recorded .*kernel event' err && ! grep -q "only this program's" err; then
	check_text "one whose environment was cleared has not" "^tandem: sleep \(process [0-9]+\) $unjoined" err
	"$TANDEM" record -o session --force sh -c 'unset LD_PRELOAD OPENCL_LAYERS
		sleep 0.01; sleep 0.01; exec sleep 0.01' >/dev/null 2>err
	check_text "nor have those without LD_PRELOAD, which are counted" \
		"sleep \(process [0-9]+\) and 2 other programs $unjoined" err
	"$TANDEM" record -o session --force unshare -pf sh -c 'true; true' >/dev/null 2>err
	check_same "one of another pid namespace is none of them" "$(grep -c "$unjoined" err)" 0
else
	skip "what begins is not seen here" "a program whose environment was cleared"
fi
if gcc -m32 main.c -o narrow 2>/dev/null && ./narrow >/dev/null 2>&1; then
	check_same "a 32-bit program runs without a complaint" \
		"$("$TANDEM" record -q -o session --force ./narrow 2>&1)" "[]"
else
	skip "gcc makes no 32-bit programs here" "a 32-bit program"
fi
finish
