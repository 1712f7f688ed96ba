# SPDX-License-Identifier: MIT
# A thin front of Meson and Ninja: `make help` lists what it can do. Everything
# that is built lies in $(BUILD).
BUILD ?= build
PREFIX ?= /usr/local
MESON ?= meson
NINJA ?= ninja
PYTHON ?= python3
CONFIG ?=
RUN = $(PYTHON) tests/run
export BUILD

all: $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD) --quiet product

everything: $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@tools/install-deps --check build
	@$(MESON) setup $(BUILD) --prefix $(PREFIX) $(CONFIG) >$(BUILD).log 2>&1 \
		&& mv $(BUILD).log $(BUILD)/setup.log \
		|| { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }

help:
	@sed -n 's/^#: //p' Makefile

#: make              build what is installed into build/
#: make everything   build the tests, the benchmarks and the examples as well
#: make demo         install what is missing, build, record an example, report
#: make test         install what is missing, build, run every test
#: make bench        what recording costs on this machine, against the targets
#: make gen          write the generated sources anew
#: make install      into PREFIX (/usr/local), under DESTDIR
#: make check-asan   all tests with the address and undefined sanitizers
#: make check-tsan   all tests with the thread sanitizer
#: make check-clang  all tests of a build with clang
#: make fuzz         all files past clang, and feed the reader damaged traces for FUZZ_SECONDS (60)
#: make clean        remove the build folders
#:
#: BUILD=DIR CONFIG='-Dopencl=disabled ...' CC=clang change how it is built.

demo:
	@tools/install-deps demo
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD) --quiet demonstration
	@tools/demo $(BUILD)

test:
	@tools/install-deps test
	@$(MAKE) --no-print-directory everything
	@$(RUN) --build $(BUILD)

bench:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory everything
	@$(PYTHON) bench/run --build $(BUILD)

gen:
	@$(PYTHON) tools/apigen/apigen.py

install: all
	@$(MESON) install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(DESTDIR))

check-asan:
	@tools/install-deps test
	@$(MAKE) --no-print-directory everything BUILD=$(BUILD)-asan \
		CONFIG='-Db_sanitize=address,undefined -Db_lundef=false'
	@$(RUN) --build $(BUILD)-asan

check-tsan:
	@tools/install-deps test
	@$(MAKE) --no-print-directory everything BUILD=$(BUILD)-tsan \
		CONFIG='-Db_sanitize=thread -Db_lundef=false'
	@$(RUN) --build $(BUILD)-tsan

check-clang:
	@tools/install-deps test clang
	@CC=clang $(MAKE) --no-print-directory everything BUILD=$(BUILD)-clang CONFIG=-Dtogether=false
	@$(RUN) --build $(BUILD)-clang

FUZZ_SECONDS ?= 60
FUZZ_OPTIMIZATION ?= 1
fuzz:
	@tools/install-deps test clang
	@CC=clang CXX=clang++ $(MAKE) --no-print-directory $(BUILD)-fuzz/build.ninja BUILD=$(BUILD)-fuzz \
		CONFIG='-Dfuzz=true -Dtogether=false -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=$(FUZZ_OPTIMIZATION)'
	@$(NINJA) -C $(BUILD)-fuzz --quiet fuzzing
	@tools/check-syntax $(BUILD)-fuzz
	@tests/fuzz/run $(BUILD)-fuzz $(FUZZ_SECONDS)

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-clang $(BUILD)-fuzz

.PHONY: all everything help demo test bench gen install check-asan check-tsan check-clang fuzz clean
