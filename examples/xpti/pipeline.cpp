// SPDX-License-Identifier: MIT
//
// As pipeline.c, in C++: scopes report begin and end, and know where they are in the source.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "xpti/xpti_trace_framework.hpp"

using type = xpti::trace_point_type_t;

static xpti::stream pipeline("example.pipeline", 1, 0);

static long run_round(int round)
{
	std::vector<int> items(1000);

	{
		xpti::scope task(pipeline, type::task_begin, "fill");
		task.add("round", round).add("what", "iota").begin();
		std::iota(items.begin(), items.end(), 0);
	}
	{
		xpti::scope task(pipeline, type::task_begin, "double");
		task.add("round", round).add("factor", 2.0).begin();
		for (int &item : items)
			item *= 2;
	}
	xpti::scope task(pipeline, type::task_begin, "sum");
	xpti::stash_tuple stash("round", static_cast<uint64_t>(round));
	task.begin();
	return std::accumulate(items.begin(), items.end(), 0L);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
	bool failed = false;

	xpti::scope(pipeline, type::graph_create, "pipeline", nullptr,
		    xpti::trace_event_type_t::graph)
		.once();
	for (int round = 0; round < rounds; round++)
		failed |= run_round(round) != 999000;
	std::printf("%s\n", failed ? "failed" : "ok");
	return failed;
}
