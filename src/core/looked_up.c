/* SPDX-License-Identifier: MIT */
#include "core/looked_up.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "core/next_symbol.h"

static const void *library_begin(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static const void *bound_to(uint32_t count, void (*_Atomic *symbols)(void))
{
	for (uint32_t i = 0; i < count; i++) {
		void (*symbol)(void) = atomic_load(&symbols[i]);

		if (symbol)
			return library_begin(*(void **)&symbol);
	}
	return NULL;
}

/* What it lacks is looked for again when it is called. */
static void bind(const char *const *names, uint32_t count, void (*_Atomic *symbols)(void),
		 const void *function)
{
	void *library = tandem_library_of(function);
	const void *begin = library_begin(function);

	for (uint32_t i = 0; library && i < count; i++) {
		void (*unset)(void) = NULL, (*symbol)(void) = NULL;
		void *found = names[i] ? dlsym(library, names[i]) : NULL;

		/* Not what it merely needs, nor a wrapper that stands before it. */
		if (!found || library_begin(found) != begin)
			continue;
		*(void **)&symbol = found;
		atomic_compare_exchange_strong(&symbols[i], &unset, symbol);
	}
}

bool tandem_looked_up(const char *const *names, uint32_t count, void (*_Atomic *symbols)(void),
		      const char *name, void *function)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void (*symbol)(void) = NULL;
	uint32_t i = 0;

	while (i < count && (!names[i] || strcmp(names[i], name)))
		i++;
	if (i == count)
		return false;
	pthread_mutex_lock(&lock);
	if (!bound_to(count, symbols))
		bind(names, count, symbols, function);
	pthread_mutex_unlock(&lock);
	symbol = atomic_load(&symbols[i]);
	return *(void **)&symbol == function;
}
