/* SPDX-License-Identifier: MIT */
#include "essays.h"

#include <pthread.h>
#include <stdlib.h>

/* A server of route queries hands a batch to the device, and looks whether it is done: after ever
 * longer naps, from 0.25 ms on, twice as long each time. Repaired: it waits for the event. */
enum { ROUTES = 256 * KIB, BATCHES = 120 };

static bool batch_done(cl_event event)
{
	cl_int status;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

static void batch_wait(cl_event event, bool waits)
{
	if (waits) {
		TRY(clWaitForEvents(1, &event));
		return;
	}
	for (long microseconds = 250; !batch_done(event); microseconds *= 2)
		nap(microseconds);
}

void essay_route_server(struct app *app)
{
	cl_kernel route = kernel_of(app, SWEEP("route_batch"), "route_batch");
	cl_mem routes = buffer_new(app, ROUTES * sizeof(float));
	float *queries = floats(ROUTES, 2);
	double sum = 0;

	args(route, "bi", routes, 8);
	for (int batch = 0; batch < BATCHES; batch++) {
		queries[batch] += 1;
		put(app->queue, routes, ROUTES * sizeof(float), queries);
		for (int hop = 0; hop < 2; hop++)
			run(app->queue, route, ROUTES, 64);

		float first = 0;
		cl_event done = get_after(app->queue, routes, sizeof(first), &first, 0, NULL);

		flush(app->queue);
		batch_wait(done, app->repaired);
		DROP(done);
		sum += (double)first;
	}
	answer(sum);
	DROP(route);
	DROP(routes);
	free(queries);
}

/* Sensors' packets are filtered; an event's callback makes the statistics of each, in the driver's
 * thread. Repaired: the callback counts, and a thread of the program makes them meanwhile. */
enum { PACKET = 64 * KIB, PACKETS = 150, RING = 4 };

struct sensor {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	float *packets[RING];
	double sum;
	int read, used;
	bool inside; /* the callback makes the statistics */
};

static void packet_statistics(struct sensor *sensor, int number)
{
	float *packet = sensor->packets[number % RING];

	busy(packet, PACKET, 8);
	sensor->sum += (double)packet[1];
}

static void sensor_count(struct sensor *sensor, int *count)
{
	pthread_mutex_lock(&sensor->lock);
	++*count;
	pthread_cond_broadcast(&sensor->changed);
	pthread_mutex_unlock(&sensor->lock);
}

static void sensor_await(struct sensor *sensor, const int *count, int least)
{
	pthread_mutex_lock(&sensor->lock);
	while (*count < least)
		pthread_cond_wait(&sensor->changed, &sensor->lock);
	pthread_mutex_unlock(&sensor->lock);
}

static void CL_CALLBACK packet_read(cl_event event, cl_int status, void *data)
{
	struct sensor *sensor = data;

	(void)event;
	must(status, "packet");
	if (sensor->inside)
		packet_statistics(sensor, sensor->read);
	sensor_count(sensor, &sensor->read);
	if (sensor->inside)
		sensor_count(sensor, &sensor->used);
}

static void *statistics_thread(void *each)
{
	struct sensor *sensor = *(struct sensor **)each;

	for (int number = 0; number < PACKETS; number++) {
		sensor_await(sensor, &sensor->read, number + 1);
		packet_statistics(sensor, number);
		sensor_count(sensor, &sensor->used);
	}
	return NULL;
}

void essay_sensor_stats(struct app *app)
{
	static struct sensor sensor = {.lock = PTHREAD_MUTEX_INITIALIZER,
				       .changed = PTHREAD_COND_INITIALIZER};
	struct sensor *self = &sensor;
	cl_kernel filter = kernel_of(app, SWEEP("filter_packet"), "filter_packet");
	cl_mem packet = filled(app, PACKET * sizeof(float), 4);
	pthread_t thread;

	sensor.inside = !app->repaired;
	for (int i = 0; i < RING; i++)
		sensor.packets[i] = floats(PACKET, (unsigned)i);
	if (app->repaired)
		must(pthread_create(&thread, NULL, statistics_thread, &self), "pthread_create");
	args(filter, "bi", packet, 8);
	for (int number = 0; number < PACKETS; number++) {
		cl_event done;

		sensor_await(&sensor, &sensor.used, number - RING + 1);
		for (int pass = 0; pass < 4; pass++)
			run(app->queue, filter, PACKET, 64);
		done = get_after(app->queue, packet, PACKET * sizeof(float),
				 sensor.packets[number % RING], 0, NULL);
		TRY(clSetEventCallback(done, CL_COMPLETE, packet_read, &sensor));
		DROP(done);
		flush(app->queue);
	}
	sensor_await(&sensor, &sensor.used, PACKETS);
	if (app->repaired)
		pthread_join(thread, NULL);
	answer(sensor.sum);
	DROP(filter);
	DROP(packet);
	for (int i = 0; i < RING; i++)
		free(sensor.packets[i]);
}
