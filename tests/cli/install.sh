#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make install` puts where, and that it works from there, moved or not.
. "$TANDEM_SOURCE/tests/lib/check.sh"

check "installs" meson install -C "$TANDEM_BUILD" --no-rebuild --destdir "$PWD/dest"
prefix=$(find dest -type d -name bin -exec dirname {} \; | head -n 1)
library=$(find "$prefix" -name 'libtandem.so.0')
check_same "one library" "$(echo "$library" | grep -c libtandem)" 1
layer=$(dirname "$library")/libtandem-opencl.so
check_text "whose layer finds it wherever it is" 'RUNPATH.*\[\$ORIGIN\]' - <<END
$(readelf -d "$layer" 2>&1)
END
for file in bin/tandem share/man/man1/tandem.1 share/man/man1/tandem-record.1 \
	share/man/man1/tandem-report.1 share/man/man1/tandem-print.1 \
	share/man/man1/tandem-resume.1 share/bash-completion/completions/tandem \
	share/zsh/site-functions/_tandem; do
	check "has $file" sh -c "ls '$prefix/$file' '$prefix/$file.gz' 2>/dev/null | grep -q ."
done

check "records with its own library" "$prefix/bin/tandem" record -q -o session sh -c \
	"test \"\$OPENCL_LAYERS\" = '$(realpath "$layer")'"
mv "$prefix" elsewhere
check "and from another place" elsewhere/bin/tandem record -q -o moved sh -c \
	"test \"\$OPENCL_LAYERS\" = '$(realpath "$(find elsewhere -name libtandem-opencl.so)")'"
ln -s "$PWD/elsewhere/bin/tandem" link
check "and through a link" ./link record -q -o linked true
PKG_CONFIG_PATH=$(dirname "$(find elsewhere -name tandem.pc)")
export PKG_CONFIG_PATH
check_text "pkg-config knows it" '-ltandem' - <<END
$(pkg-config --libs tandem 2>&1)
END
check_same "with the command's version" "tandem $(pkg-config --modversion tandem)" \
	"$(elsewhere/bin/tandem --version)"

if command -v man >/dev/null; then
	for page in elsewhere/share/man/man1/*; do
		check_same "$(basename "$page") has no warnings" "$(
			cd elsewhere/share/man || exit
			man --warnings -E UTF-8 -l "man1/$(basename "$page")" 2>&1 >/dev/null
		)" ""
	done
else
	skip "man is not installed" "the man pages have no warnings"
fi

# complete WORD...: what bash offers for the last word
cat >complete <<'END'
source "$TANDEM_BUILD/completions/tandem"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_tandem
printf '%s ' "${COMPREPLY[@]}"
END
offers() {
	bash complete tandem "$@"
}
check_same "bash completes commands" "$(offers re)" "record resume report "
check_same "options" "$(offers record --st)" "--start-paused "
check_same "words of options" "$(offers record --args b)" "basic "
check_same "each command its own" "$(offers diff --table d)" "device "
check_same "runtimes from their list" "$(offers record --domains o)" "opencl "
check_same "nothing for a number" "$(offers report --top '' | tr -d ' ')" ""
check_same "findings from theirs" "$(offers findings -k pre)" "preemption "
check_same "what follows an option with a value" "$(offers record --args none --st)" "--start-paused "
check_same "and sessions" "$(offers report mo)" "moved "
if command -v zsh >/dev/null; then
	check "zsh reads its completion" zsh -n "$TANDEM_BUILD/completions/_tandem"
else
	skip "zsh is not installed" "zsh reads its completion"
fi
finish
