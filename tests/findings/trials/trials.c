/* SPDX-License-Identifier: MIT */
#include "trials.h"

void run_at(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
	    const size_t *global, const size_t *local)
{
	TRY(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL,
				   NULL));
}

void get_from(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, data, 0, NULL, NULL));
}

cl_mem sub_new(cl_mem buffer, size_t offset, size_t bytes)
{
	const cl_buffer_region region = {offset, bytes};
	cl_int status;
	cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					&region, &status);

	must(status, "clCreateSubBuffer");
	return part;
}

cl_command_queue loose_queue(const struct app *app)
{
	return queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

int main(int argc, char **argv)
{
	static const struct app_entry entries[] = {
		{"pinned_driver", trial_pinned_driver, pinned_driver_early},
#define X(name) {#name, trial_##name, NULL},
		TRIALS(X)
#undef X
			{"shadow", trial_shadow, NULL},
	};

	return apps_main(argc, argv, entries, sizeof(entries) / sizeof(*entries));
}
