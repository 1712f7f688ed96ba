/* SPDX-License-Identifier: MIT */
/* Control pages of earlier versions (schema/control.h). */
#include "schema/control.h"

#include <stddef.h>
#include <string.h>

#include "check.h"

/* Their words, by offset: before version 4 masks had 32 bits. */
enum { RECORDING = 0, ARGS_LEVEL = 4, DOMAINS = 48 };

static struct tandem_control page;

static void word_put(size_t offset, uint32_t word)
{
	memcpy((char *)&page + offset, &word, sizeof(word));
}

static void earlier(uint32_t version)
{
	memset(&page, 0, sizeof(page));
	page.magic = TANDEM_CONTROL_MAGIC;
	page.version = version;
	page.ticks_hz = 1000;
	page.max_string_bytes = 77;
	word_put(RECORDING, 2);
	word_put(ARGS_LEVEL, TANDEM_ARGS_FULL);
	word_put(DOMAINS, 6);
	CHECK(tandem_control_readable(&page));
	tandem_control_upgrade(&page);
	CHECK(page.recording == 2 && page.domains == 6 && page.args_level == TANDEM_ARGS_FULL);
	CHECK(page.ticks_hz == 1000 && page.max_string_bytes == 77);
}

int main(void)
{
	earlier(2);
	earlier(3);
	/* This version's is as it is. */
	memset(&page, 0, sizeof(page));
	page.version = TANDEM_CONTROL_VERSION;
	page.recording = (uint64_t)1 << 40 | 2;
	page.domains = (uint64_t)1 << 63;
	page.args_level = TANDEM_ARGS_BASIC;
	tandem_control_upgrade(&page);
	CHECK(page.recording == ((uint64_t)1 << 40 | 2) && page.domains == (uint64_t)1 << 63);
	CHECK(page.args_level == TANDEM_ARGS_BASIC);
	page.version = TANDEM_CONTROL_VERSION + 1;
	CHECK(!tandem_control_readable(&page));
	page.version = TANDEM_CONTROL_VERSION_LEAST - 1;
	CHECK(!tandem_control_readable(&page));
	return check_status();
}
