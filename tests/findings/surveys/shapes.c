/* SPDX-License-Identifier: MIT */
/* How much of the work there is in each launch, and in what shape. */
#include "surveys.h"

#include <stdlib.h>

/* A book of options, each priced by a few thousand paths. */
static const char option_source[] =
	"kernel void price(global const float *strikes, global float *values, int option,\n"
	"		   float rate, int steps)\n"
	"{\n"
	"	int path = (int)get_global_id(0), paths = (int)get_global_size(0);\n"
	"	int at = option + (int)get_global_id(1);\n"
	"	uint u = (uint)(at * 7919 + path) * 2654435761u;\n"
	"	float spot = 1;\n"
	"	for (int s = 0; s < steps; s++) {\n"
	"		u = (u ^ (u >> 9)) * 2654435761u + 40503u;\n"
	"		spot *= 1 + rate + 0.02f * ((float)(u >> 8) / 16777216.0f - 0.5f);\n"
	"	}\n"
	"	values[at * paths + path] = max(spot - strikes[at], 0.0f);\n"
	"}\n";

void survey_option_book(struct app *app)
{
	enum { OPTIONS = 128, PATHS = 4096, SCENARIOS = 30 };

	cl_kernel price = kernel_of(app, option_source, "price");
	cl_mem strikes = numbers(app, OPTIONS, 127);
	cl_mem values = buffer_new(app, sizeof(float) * OPTIONS * PATHS);
	double sum = 0;

	for (int scenario = 0; scenario < SCENARIOS; scenario++) {
		double rate = 0.0005 * scenario;

		if (app->repaired) {
			args(price, "bbifi", strikes, values, 0, rate, 2);
			run_plane(app->queue, price, PATHS, OPTIONS, 64, 1);
		}
		for (int option = 0; !app->repaired && option < OPTIONS; option++) {
			args(price, "bbifi", strikes, values, option, rate, 2);
			run(app->queue, price, PATHS, 64);
		}
		sum += sum_of(app, values, (size_t)OPTIONS * PATHS);
	}
	answer(sum);
	DROP(values);
	DROP(strikes);
	DROP(price);
}

/* Poses of a ligand in its pocket, and their energies. */
static const char energy_source[] =
	"kernel void energy(global const float *poses, global float *energies, int count)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	float sum = 0, p = poses[i];\n"
	"	for (int atom = 0; atom < 12; atom++) {\n"
	"		float r = p * 0.25f + 0.5f + 0.0625f * (float)atom, s = 1 / (r * r * r);\n"
	"		sum += s * s - s;\n"
	"	}\n"
	"	energies[i] = sum;\n"
	"	if (!i)\n"
	"		energies[0] += p;\n"
	"}\n";

static size_t poses_local(size_t count)
{
	size_t local = 64;

	while (count % local)
		local /= 2;
	return local;
}

void survey_ligand_energy(struct app *app)
{
	enum { POSES = 100003, BATCHES = 160 };

	cl_kernel energy = kernel_of(app, energy_source, "energy");
	cl_mem poses[2] = {numbers(app, POSES, 131), numbers(app, POSES, 137)};
	cl_mem energies = buffer_new(app, POSES * sizeof(float));
	size_t count = POSES, local = poses_local(count);
	float *found = memory(POSES * sizeof(float));
	double sum = 0;

	if (app->repaired) {
		local = 64;
		count = (count + local - 1) / local * local;
	}
	for (int n = 0; n < BATCHES; n++) {
		args(energy, "bbi", poses[n % 2], energies, POSES);
		run(app->queue, energy, count, local);
		get(app->queue, energies, POSES * sizeof(float), found);
		sum += (double)found[n * 509];
	}
	answer(sum);
	free(found);
	DROP(energies);
	DROP(poses[1]);
	DROP(poses[0]);
	DROP(energy);
}

/* Amounts of a ledger's accounts, with what each is charged, added up in whole cents. */
static const char ledger_source[] =
	"kernel void charge(global const uint *amounts, global uint *sums, int count, uint day)\n"
	"{\n"
	"	local uint part[256];\n"
	"	uint l = (uint)get_local_id(0), sum = 0;\n"
	"	for (int i = (int)get_global_id(0); i < count; i += (int)get_global_size(0)) {\n"
	"		uint v = amounts[i];\n"
	"		for (uint r = 0; r < 6; r++)\n"
	"			v += (v >> 7) + (day ^ r) % 13;\n"
	"		sum += v;\n"
	"	}\n"
	"	part[l] = sum;\n"
	"	for (uint apart = 128; apart; apart /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (l < apart)\n"
	"			part[l] += part[l + apart];\n"
	"	}\n"
	"	if (!l)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n";

void survey_ledger_sum(struct app *app)
{
	enum { ACCOUNTS = 256 * 1024, GROUP = 256, MOST = 64, DAYS = 300 };

	const size_t groups = app->repaired ? MOST : 1;
	cl_kernel charge = kernel_of(app, ledger_source, "charge");
	cl_mem amounts = numbers(app, ACCOUNTS, 139), sums = buffer_new(app, MOST * 4);
	cl_uint parts[MOST];
	double books = 0;

	for (int day = 0; day < DAYS; day++) {
		cl_uint all = 0;

		args(charge, "bbii", amounts, sums, ACCOUNTS, day);
		run(app->queue, charge, groups * GROUP, GROUP);
		get(app->queue, sums, groups * sizeof(*parts), parts);
		for (size_t g = 0; g < groups; g++)
			all += parts[g];
		books += (double)all;
	}
	answer(books);
	DROP(sums);
	DROP(amounts);
	DROP(charge);
}
