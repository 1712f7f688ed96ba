/* SPDX-License-Identifier: MIT */
/* Games and leagues, ciphers, and the mains. */
#include "inquests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A game plans its squads' next moves; another thread draws each tick as soon as it is planned. */
enum { FIELDS = 64 * KIB, GAME = 160 };

static const char squad_source[] =
	"kernel void influence(global const float *units, global float *map, int reach)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int r = 0; r < reach; r++)\n"
	"		sum = sum * 0.9375f + units[(i + r * 8) & (n - 1)] * 0.0625f;\n"
	"	map[i] = sum;\n"
	"}\n"
	"kernel void choose(global float *units, global const float *map, int moves)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float best = 0;\n"
	"	for (int m = 0; m < moves; m++)\n"
	"		best = fmax(best, map[(i + m * m) & (n - 1)]);\n"
	"	units[i] = units[i] * 0.5f + best * 0.5f;\n"
	"}\n";

struct game {
	const struct app *app;
	pthread_mutex_t lock;
	pthread_cond_t planned;
	atomic_int tick; /* so many are planned */
	float *plan;
	double drawn;
};

struct role {
	struct game *game;
	void (*play)(struct game *game);
};

static void game_think(struct game *game)
{
	const struct app *app = game->app;
	cl_program program = program_new(app, squad_source, "");
	cl_kernel influence = kernel_new(program, "influence");
	cl_kernel choose = kernel_new(program, "choose");
	cl_mem units = filled(app, FIELDS, 31), map = buffer_new(app, FIELDS * sizeof(float));

	args(influence, "bbi", units, map, 16);
	args(choose, "bbi", units, map, 16);
	for (int t = 0; t < GAME; t++) {
		run(app->queue, influence, FIELDS, 64);
		run(app->queue, choose, FIELDS, 64);
		get(app->queue, units, KIB * sizeof(float), game->plan + (size_t)t * KIB);
		pthread_mutex_lock(&game->lock);
		atomic_fetch_add(&game->tick, 1);
		pthread_cond_signal(&game->planned);
		pthread_mutex_unlock(&game->lock);
	}
	DROP(units), DROP(map), DROP(influence), DROP(choose), DROP(program);
}

static void game_draw(struct game *game)
{
	for (int t = 0; t < GAME; t++) {
		if (game->app->repaired) {
			pthread_mutex_lock(&game->lock);
			while (atomic_load(&game->tick) <= t)
				pthread_cond_wait(&game->planned, &game->lock);
			pthread_mutex_unlock(&game->lock);
		}
		while (atomic_load(&game->tick) <= t)
			;
		game->drawn += total(game->plan + (size_t)t * KIB, KIB);
	}
}

static void *role_play(void *data)
{
	struct role *role = data;

	role->play(role->game);
	return NULL;
}

void inquest_squad_think(struct app *app)
{
	struct game game = {.app = app,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .planned = PTHREAD_COND_INITIALIZER,
			    .plan = memory((size_t)GAME * KIB * sizeof(float))};
	struct role roles[2] = {{&game, game_think}, {&game, game_draw}};

	threads_run(2, role_play, roles, sizeof(*roles));
	answer(game.drawn);
	free(game.plan);
}

/* A league's tables after each round; where the device cannot, the host makes them. */
enum { PLAYERS = 64 * KIB, ROUNDS = 80 };

static const char table_source[] =
	"kernel void match(global uint *form, uint round)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint u = form[i] + round;\n"
	"	for (int m = 0; m < 8; m++)\n"
	"		u = (u ^ (u >> 9)) * 2654435761u + 40503u;\n"
	"	form[i] = u;\n"
	"}\n"
	"kernel void rate(global const uint *form, global uint *points, int games)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	uint sum = 0;\n"
	"	for (int g = 1; g <= games; g++)\n"
	"		sum += form[i] > form[(i + g) & (n - 1)] ? 3u : 1u;\n"
	"	points[i] = sum;\n"
	"}\n";

static void rate_by_host(const cl_uint *form, cl_uint *points, size_t games)
{
	for (size_t i = 0; i < PLAYERS; i++) {
		points[i] = 0;
		for (size_t g = 1; g <= games; g++)
			points[i] += form[i] > form[(i + g) % PLAYERS] ? 3u : 1u;
	}
}

void inquest_season_table(struct app *app)
{
	const size_t bytes = PLAYERS * sizeof(cl_uint), items = PLAYERS;
	const size_t local = app->repaired ? 256 : 16384;
	cl_program program = program_new(app, table_source, "");
	cl_kernel match = kernel_new(program, "match"), rate = kernel_new(program, "rate");
	cl_mem form = filled(app, PLAYERS, 32), points = buffer_new(app, bytes);
	cl_uint *seen = memory(bytes), *table = memory(bytes);
	double sum = 0;

	args(match, "bi", form, 0);
	args(rate, "bbi", form, points, 32);
	for (int r = 0; r < ROUNDS; r++) {
		TRY(clSetKernelArg(match, 1, sizeof(r), &r));
		run(app->queue, match, PLAYERS, 64);
		if (clEnqueueNDRangeKernel(app->queue, rate, 1, NULL, &items, &local, 0, NULL,
					   NULL) == CL_SUCCESS) {
			get(app->queue, points, bytes, table);
		} else {
			get(app->queue, form, bytes, seen);
			rate_by_host(seen, table, 32);
		}
		for (size_t i = 0; i < PLAYERS; i++)
			sum += table[i];
	}
	answer(sum);
	free(seen);
	free(table);
	DROP(form), DROP(points), DROP(match), DROP(rate), DROP(program);
}

/* Packets go through a cipher. */
enum { PACKET = 2048 * KIB, PACKETS = 60 };

static const char cipher_source[] =
	"kernel void make_pad(global uint2 *pad, uint key)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint2 v = (uint2)((uint)i, key);\n"
	"	for (int r = 0; r < 2; r++) {\n"
	"		v.x += ((v.y << 4) ^ (v.y >> 5)) + v.y + key;\n"
	"		v.y += ((v.x << 4) ^ (v.x >> 5)) + v.x + 0x9e3779b9u;\n"
	"	}\n"
	"	pad[i] = v;\n"
	"}\n"
	"kernel void encipher(global const uint2 *in, global uint2 *out,\n"
	"		      global const uint2 *pad)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = in[i] ^ pad[i];\n"
	"}\n";

struct packet {
	cl_mem in, out, pad;
};

static struct packet packet_new(const struct app *app)
{
	return (struct packet){buffer_new(app, PACKET), buffer_new(app, PACKET),
			       buffer_new(app, PACKET)};
}

static void packet_drop(const struct packet *packet)
{
	DROP(packet->in), DROP(packet->out), DROP(packet->pad);
}

void inquest_cipher_pack(struct app *app)
{
	cl_program program = program_new(app, cipher_source, "");
	cl_kernel key = kernel_new(program, "make_pad"), cipher = kernel_new(program, "encipher");
	unsigned char *plain = text_new(PACKET + 64 * PACKETS, 33);
	cl_uint *secret = memory(PACKET);
	struct packet packet = packet_new(app);
	double sum = 0;

	for (int p = 0; p < PACKETS; p++) {
		if (p && !app->repaired) {
			packet_drop(&packet);
			packet = packet_new(app);
		}
		args(key, "bi", packet.pad, p * 77);
		args(cipher, "bbb", packet.in, packet.out, packet.pad);
		run(app->queue, key, PACKET / 8, 64);
		put(app->queue, packet.in, PACKET, plain + (size_t)p * 64);
		run(app->queue, cipher, PACKET / 8, 64);
		get(app->queue, packet.out, PACKET, secret);
		sum += secret[0] + (double)secret[PACKET / 8];
	}
	answer(sum);
	free(plain);
	free(secret);
	packet_drop(&packet);
	DROP(key), DROP(cipher), DROP(program);
}

/* Islands of a grid: each balances its own loads, and then they exchange over their cables. */
enum { ISLANDS = 6, NODES = 64, LOADS = NODES * 4, HOURS = 400 };

static const char grid_source[] =
	"kernel void balance(global float4 *phases, int sweeps)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 mine = phases[i], load = (float4)(i % 4, i % 3, i % 5, i % 2) * 0.125f;\n"
	"	for (int s = 0; s < sweeps; s++)\n"
	"		mine = mine * 0.9375f + mine.yzwx * 0.03125f + load;\n"
	"	phases[i] = mine;\n"
	"}\n"
	"kernel void cable(global float4 *one, global float4 *other)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float4 flow = (one[i] - other[i]) * 0.25f;\n"
	"	one[i] -= flow;\n"
	"	other[i] += flow;\n"
	"}\n";

struct grid {
	const struct app *app;
	cl_command_queue queue;
	cl_mem islands[ISLANDS];
	cl_event last[ISLANDS];
};

static cl_event *grid_last(struct grid *grid, int island)
{
	return &grid->last[grid->app->repaired ? island : 0];
}

/* Runs what changes the one island, and the other. */
static void grid_run(struct grid *grid, cl_kernel kernel, int one, int other)
{
	cl_event *lasts[2] = {grid_last(grid, one), grid_last(grid, other)};
	cl_event waits[2] = {NULL, NULL}, ran;
	cl_uint count = 0, number = lasts[0] == lasts[1] ? 1 : 2;

	for (cl_uint i = 0; i < number; i++)
		if (*lasts[i])
			waits[count++] = *lasts[i];
	ran = run_after(grid->queue, kernel, NODES, NODES, count, waits);
	while (count)
		DROP(waits[--count]);
	*lasts[0] = ran;
	if (number == 1)
		return;
	TRY(clRetainEvent(ran));
	*lasts[1] = ran;
}

static double island_load(struct grid *grid, int island, float *loads)
{
	settle(get_after(grid->queue, grid->islands[island], LOADS * sizeof(*loads), loads, 1,
			 grid_last(grid, island)));
	return total(loads, LOADS);
}

void inquest_island_flow(struct app *app)
{
	cl_program program = program_new(app, grid_source, "");
	cl_kernel balance = kernel_new(program, "balance"), cable = kernel_new(program, "cable");
	struct grid grid = {app, queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), {0}, {0}};
	float *loads = memory(LOADS * sizeof(*loads));
	double sum = 0;

	for (int i = 0; i < ISLANDS; i++)
		grid.islands[i] = filled(app, LOADS, (unsigned)i + 34);
	for (int h = 0; h < HOURS; h++) {
		for (int i = 0; i < ISLANDS; i++) {
			args(balance, "bi", grid.islands[i], 300 + h % 3);
			grid_run(&grid, balance, i, i);
		}
		for (int i = h % 2; i + 1 < ISLANDS; i += 2) {
			args(cable, "bb", grid.islands[i], grid.islands[i + 1]);
			grid_run(&grid, cable, i, i + 1);
		}
		flush(grid.queue);
		if (h % 4 == 3) /* the control room looks */
			sum += island_load(&grid, 0, loads);
	}
	for (int i = 0; i < ISLANDS; i++)
		sum += island_load(&grid, i, loads);
	answer(sum);
	for (int i = 0; i < ISLANDS; i++) {
		if (grid.last[i])
			DROP(grid.last[i]);
		DROP(grid.islands[i]);
	}
	free(loads);
	DROP(balance), DROP(cable), DROP(grid.queue), DROP(program);
}

/* Keys are stretched from a password: round upon round, each of the last one's result. */
enum { KEYS = 8 * KIB, STRETCH = 1500 };

static const char key_source[] =
	"kernel void stretch(global uint *keys, global const uint *salt, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	uint k = keys[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		k = rotate(k ^ salt[(i + r) % 256], 7u) * 2654435761u + 40503u;\n"
	"	keys[i] = k;\n"
	"}\n";

void inquest_clean_keys(struct app *app)
{
	cl_kernel kernel = kernel_of(app, key_source, "stretch");
	cl_mem keys = filled(app, KEYS, 41), salt = filled(app, 256, 42);
	cl_uint *made = memory(KEYS * sizeof(*made));
	double sum = 0;

	args(kernel, "bbi", keys, salt, 8);
	for (int s = 0; s < STRETCH; s++) {
		run(app->queue, kernel, KEYS, 64);
		if (s % 32 == 0)
			flush(app->queue);
		if (s % 250 == 249)
			finish(app->queue); /* no more than that are under way */
	}
	get(app->queue, keys, KEYS * sizeof(*made), made);
	for (size_t i = 0; i < KEYS; i++)
		sum += made[i] >> 8;
	answer(sum);
	free(made);
	DROP(keys), DROP(salt), DROP(kernel);
}
