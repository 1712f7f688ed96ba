/* SPDX-License-Identifier: MIT */
#include "domains/cuda/link.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/sandbox/fdtable.h"
#include "core/stream/stream.h"
#include "schema/gen/cuda_records.h"
#include "util/system.h"

#define FOLDER "/sys/bus/pci/devices/%04x:%02x:%02x.0/"

enum { OWN_SPEED, OWN_WIDTH, PORT_SPEED, PORT_WIDTH, FILES };

struct link_files {
	char path[FILES][96];
	char text[FILES][32];
};

/* With descriptors of its own (core/sandbox/fdtable.h). */
static int files_read(void *data)
{
	struct link_files *files = data;

	for (unsigned i = 0; i < FILES; i++)
		system_read_text(files->path[i], files->text[i], sizeof(files->text[i]));
	return 0;
}

/* "32.0 GT/s PCIe"; 0 where it is unknown. */
static uint32_t megatransfers(const char *text)
{
	unsigned whole = 0, tenths = 0;

	sscanf(text, "%u.%1u GT/s", &whole, &tenths);
	return whole * 1000 + tenths * 100;
}

static uint32_t lanes(const char *text)
{
	unsigned long count = strtoul(text, NULL, 10);

	return count <= 32 ? (uint32_t)count : 0; /* 255: unknown */
}

/* A port that says nothing, as in a virtual machine, sets no limit. */
static uint32_t slower(uint32_t own, uint32_t port)
{
	return port && port < own ? port : own;
}

void cuda_link_describe(uint32_t number, uint32_t pci_domain, uint32_t bus, uint32_t slot)
{
	static const char *const names[FILES] = {"max_link_speed", "max_link_width",
						 "../max_link_speed", "../max_link_width"};
	struct link_files files = {.text = {""}};
	struct tandem_cuda_link *record;
	uint32_t speed, width;

	for (unsigned i = 0; i < FILES; i++)
		snprintf(files.path[i], sizeof(files.path[i]), FOLDER "%s", pci_domain, bus, slot,
			 names[i]);
	if (fdtable_run(files_read, &files))
		return;
	speed = slower(megatransfers(files.text[OWN_SPEED]), megatransfers(files.text[PORT_SPEED]));
	width = slower(lanes(files.text[OWN_WIDTH]), lanes(files.text[PORT_WIDTH]));
	if (!speed || !width)
		return;
	record = tandem_record_begin(TANDEM_CUDA_EVENT_link, sizeof(*record));
	if (!record)
		return;
	record->device = number;
	record->megatransfers = speed;
	record->lanes = width;
	tandem_record_commit();
}
