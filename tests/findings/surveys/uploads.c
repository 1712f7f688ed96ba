/* SPDX-License-Identifier: MIT */
/* What the device is given: weights, terrains, poses. */
#include "surveys.h"

#include <stdlib.h>
#include <string.h>

/* A small network that answers requests one by one, as they come. */
static const char dense_source[] =
	"kernel void dense(global const float *weights, global const float *in,\n"
	"		  global float *out, int inputs)\n"
	"{\n"
	"	int o = (int)get_global_id(0), outputs = (int)get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < inputs; i++)\n"
	"		sum = mad(weights[i * outputs + o], in[i], sum);\n"
	"	out[o] = max(sum / (float)inputs, 0.001f * sum);\n"
	"}\n";

enum { MLP_WIDTH = 384, MLP_LAYERS = 3, MLP_REQUESTS = 300 };

static void mlp_load(const struct app *app, const cl_mem *layers, float *const *weights)
{
	for (int l = 0; l < MLP_LAYERS; l++)
		put(app->queue, layers[l], sizeof(float) * MLP_WIDTH * MLP_WIDTH, weights[l]);
}

static void mlp_forward(const struct app *app, cl_kernel dense, const cl_mem *layers,
			const cl_mem *values)
{
	for (int l = 0; l < MLP_LAYERS; l++) {
		args(dense, "bbbi", layers[l], values[l], values[l + 1], MLP_WIDTH);
		run(app->queue, dense, MLP_WIDTH, 64);
	}
}

void survey_mlp_serving(struct app *app)
{
	const size_t bytes = MLP_WIDTH * sizeof(float);
	cl_kernel dense = kernel_of(app, dense_source, "dense");
	cl_mem layers[MLP_LAYERS], values[MLP_LAYERS + 1];
	float *weights[MLP_LAYERS], *request = memory(bytes), *reply = memory(bytes);
	double sum = 0;

	for (int l = 0; l <= MLP_LAYERS; l++)
		values[l] = buffer_new(app, bytes);
	for (int l = 0; l < MLP_LAYERS; l++) {
		layers[l] = buffer_new(app, bytes * MLP_WIDTH);
		weights[l] = floats((size_t)MLP_WIDTH * MLP_WIDTH, 47 + (unsigned)l);
	}
	if (app->repaired)
		mlp_load(app, layers, weights);
	for (int n = 0; n < MLP_REQUESTS; n++) {
		refill(request, MLP_WIDTH, n);
		if (!app->repaired)
			mlp_load(app, layers, weights);
		put(app->queue, values[0], bytes, request);
		mlp_forward(app, dense, layers, values);
		get(app->queue, values[MLP_LAYERS], bytes, reply);
		sum += total(reply, MLP_WIDTH);
	}
	answer(sum);
	free(reply);
	free(request);
	for (int l = 0; l <= MLP_LAYERS; l++)
		DROP(values[l]);
	for (int l = 0; l < MLP_LAYERS; l++) {
		DROP(layers[l]);
		free(weights[l]);
	}
	DROP(dense);
}

/* A flight over a terrain. The game can change the terrain; on this flight nobody digs. */
static const char terrain_source[] =
	"kernel void march(global const float *heights, global float *picture, int size,\n"
	"		  float x, float y, int steps)\n"
	"{\n"
	"	int column = (int)get_global_id(0), row = (int)get_global_id(1);\n"
	"	float dx = ((float)column - 80) / 160, fall = (float)(row + 1) / 160, z = 1.5f;\n"
	"	int hit = steps;\n"
	"	for (int s = 0; s < steps; s++) {\n"
	"		int px = (int)(x + dx * (float)s) & (size - 1);\n"
	"		int py = (int)(y + (float)s) & (size - 1);\n"
	"		z -= fall * 0.02f;\n"
	"		hit = heights[py * size + px] > z && s < hit ? s : hit;\n"
	"	}\n"
	"	picture[row * (int)get_global_size(0) + column] = (float)hit;\n"
	"}\n";

enum { TERRAIN_SIZE = 1024, TERRAIN_BYTES = TERRAIN_SIZE * TERRAIN_SIZE * 4, FLIGHT_FRAMES = 160 };

static void terrain_load(const struct app *app, cl_mem heights, const float *terrain)
{
	cl_int status;
	void *mapped =
		clEnqueueMapBuffer(app->queue, heights, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
				   TERRAIN_BYTES, 0, NULL, NULL, &status);

	must(status, "clEnqueueMapBuffer");
	memcpy(mapped, terrain, TERRAIN_BYTES);
	TRY(clEnqueueUnmapMemObject(app->queue, heights, mapped, 0, NULL, NULL));
}

void survey_terrain_view(struct app *app)
{
	enum { WIDTH = 160, ROWS = 128 };

	const size_t bytes = sizeof(float) * WIDTH * ROWS;
	cl_kernel march = kernel_of(app, terrain_source, "march");
	cl_mem heights = buffer_new(app, TERRAIN_BYTES), picture = buffer_new(app, bytes);
	float *terrain = floats((size_t)TERRAIN_SIZE * TERRAIN_SIZE, 53), *shown = memory(bytes);
	double sum = 0;

	for (int frame = 0; frame < FLIGHT_FRAMES; frame++) {
		if (!frame || !app->repaired)
			terrain_load(app, heights, terrain);
		args(march, "bbiffi", heights, picture, TERRAIN_SIZE, 500.0 + frame, 3.0 * frame,
		     32);
		run_plane(app->queue, march, WIDTH, ROWS, 32, 4);
		get(app->queue, picture, bytes, shown);
		sum += total(shown, WIDTH);
	}
	answer(sum);
	free(shown);
	free(terrain);
	DROP(picture);
	DROP(heights);
	DROP(march);
}

/* Arms in a cell, each with the pose that its controller wants; each tick they are checked for
 * collisions, with what a camera of depths sees. */
static const char reach_source[] =
	"kernel void reach(global const float16 *poses, global const float *depths,\n"
	"		   global float *gaps, int spots)\n"
	"{\n"
	"	int i = (int)get_global_id(0), arm = i / spots, spot = i % spots;\n"
	"	float16 pose = poses[arm];\n"
	"	float x = pose.s0, y = pose.s1, angle = 0, gap = depths[i * 8] + 100;\n"
	"	for (int joint = 0; joint < 6; joint++) {\n"
	"		angle += pose.s2 * 0.1f + pose.s3 * (float)joint * 0.01f;\n"
	"		x += 1 - angle * angle * 0.5f;\n"
	"		y += angle - angle * angle * angle / 6;\n"
	"		gap = min(gap, fabs(x - (float)spot) + fabs(y - pose.s4));\n"
	"	}\n"
	"	gaps[i] = gap;\n"
	"}\n";

enum { ARMS = 80, ARM_BYTES = 64, ARM_SPOTS = 640, ARM_DEPTHS = ARMS * ARM_SPOTS * 8 };
enum { ARM_TICKS = 70 };

static void pose_wanted(float *pose, int arm, int tick)
{
	for (int v = 0; v < 16; v++)
		pose[v] = (float)((arm * 7 + tick * 3 + v * 5) % 64) * 0.0625f;
}

static void poses_send(const struct app *app, cl_mem buffer, float *poses, int tick)
{
	for (size_t arm = 0; arm < ARMS; arm++) {
		pose_wanted(poses + arm * 16, (int)arm, tick);
		if (!app->repaired)
			TRY(clEnqueueWriteBuffer(app->queue, buffer, CL_FALSE, arm * ARM_BYTES,
						 ARM_BYTES, poses + arm * 16, 0, NULL, NULL));
	}
	if (app->repaired)
		put(app->queue, buffer, (size_t)ARMS * ARM_BYTES, poses);
}

void survey_arm_poses(struct app *app)
{
	const size_t bytes = sizeof(float) * ARMS * ARM_SPOTS;
	cl_kernel reach = kernel_of(app, reach_source, "reach");
	cl_mem buffer = buffer_new(app, (size_t)ARMS * ARM_BYTES), gaps = buffer_new(app, bytes);
	cl_mem depths = buffer_new(app, ARM_DEPTHS * sizeof(float));
	float *seen[3];
	float *poses = memory((size_t)ARMS * ARM_BYTES), *room = memory(bytes);
	double sum = 0;

	for (unsigned i = 0; i < 3; i++)
		seen[i] = floats(ARM_DEPTHS, 167 + i);
	args(reach, "bbbi", buffer, depths, gaps, ARM_SPOTS);
	for (int tick = 0; tick < ARM_TICKS; tick++) {
		poses_send(app, buffer, poses, tick);
		put(app->queue, depths, ARM_DEPTHS * sizeof(float), seen[tick % 3]);
		run(app->queue, reach, (size_t)ARMS * ARM_SPOTS, 256);
		get(app->queue, gaps, bytes, room);
		sum += (double)room[tick * 101];
	}
	answer(sum);
	for (int i = 0; i < 3; i++)
		free(seen[i]);
	free(room);
	free(poses);
	DROP(gaps);
	DROP(depths);
	DROP(buffer);
	DROP(reach);
}
