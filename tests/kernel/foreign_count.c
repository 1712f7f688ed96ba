/* foreign-count TRACE [MODULE]: how many events of each kind the readers of other
 * tools' traces hand out, whether they come in order of time on each CPU, and
 * from where the trace is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/gen/kernel_records.h"
#include "trace/foreign.h"

enum { KINDS = FOREIGN_LOST + 1, CPUS = 256 };

static const char *const words[KINDS] = {
	"switch", "waking", "wakeup", "wakeup_new", "migrate", "fork", "exit", "task", "entry",
	"leave", "driver", "lost",
};

static uint64_t counts[KINDS], backwards, last[CPUS], names, states[16];

static int on_begin(void *user, const struct foreign_description *description)
{
	(void)user;
	printf("tool=%s host=%s release=%s boot=%s clock=%s\n", description->tool,
	       description->host, description->release, description->boot_id,
	       description->clock);
	return 0;
}

static int on_event(void *user, const struct foreign_event *event)
{
	(void)user;
	counts[event->kind]++;
	if (event->cpu < CPUS) {
		backwards += event->ns < last[event->cpu];
		last[event->cpu] = event->ns;
	}
	names += event->kind == FOREIGN_SWITCH && event->name && event->other_name &&
		 *event->name && *event->other_name;
	if (event->kind == FOREIGN_SWITCH)
		states[event->state & 15]++;
	return 0;
}

int main(int argc, char **argv)
{
	const struct foreign_sink sink = { on_begin, on_event, NULL };
	struct error error = ERROR_INIT;
	int status;

	if (argc < 2)
		return 2;
	status = foreign_read(argv[1], argc > 2 ? argv[2] : NULL, &sink, &error);
	for (unsigned i = 0; i < error.count; i++)
		fprintf(stderr, "%s\n", error.causes[i]);
	for (int i = 0; i < KINDS; i++)
		printf("%s=%" PRIu64 " ", words[i], counts[i]);
	printf("backwards=%" PRIu64 " names=%" PRIu64 "\n", backwards, names);
	printf("runnable=%" PRIu64 " preempted=%" PRIu64 " sleeping=%" PRIu64 " dead=%" PRIu64 "\n",
	       states[TANDEM_TASK_STATE_runnable], states[TANDEM_TASK_STATE_preempted],
	       states[TANDEM_TASK_STATE_sleeping], states[TANDEM_TASK_STATE_dead]);
	return status ? 1 : 0;
}
