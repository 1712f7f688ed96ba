/* SPDX-License-Identifier: MIT */
#include "fittings.h"

#include <stdlib.h>

cl_mem seeded(const struct app *app, size_t count, unsigned seed)
{
	float *data = floats(count, seed);
	cl_mem buffer = buffer_new(app, count * sizeof(*data));

	put_now(app->queue, buffer, count * sizeof(*data), data);
	free(data);
	return buffer;
}

double sum_of(cl_command_queue queue, cl_mem buffer, size_t count)
{
	float *data = memory(count * sizeof(*data));
	double sum;

	get(queue, buffer, count * sizeof(*data), data);
	sum = total(data, count);
	free(data);
	return sum;
}

cl_mem image_new(const struct app *app, size_t width, size_t height, size_t depth, size_t layers)
{
	cl_image_format format = {CL_R, CL_FLOAT};
	cl_image_desc desc = {.image_width = width, .image_height = height};
	cl_int status;
	cl_mem image;

	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	if (depth) {
		desc.image_type = CL_MEM_OBJECT_IMAGE3D;
		desc.image_depth = depth;
	} else if (layers) {
		desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
		desc.image_array_size = layers;
	}
	image = clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
	must(status, "clCreateImage");
	return image;
}

int main(int argc, char **argv)
{
	static struct app_entry entries[] = {
#define X(name) {#name, fitting_##name, NULL},
		FITTINGS(X)
#undef X
	};
	size_t count = sizeof(entries) / sizeof(*entries);

	for (size_t i = 0; i < count; i++)
		if (entries[i].run == fitting_clean_workers)
			entries[i].early = early_workers;
	return apps_main(argc, argv, entries, count);
}
