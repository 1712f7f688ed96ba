/* SPDX-License-Identifier: MIT */
/* What the C parts of dlsym() give its entry. */
#ifndef TANDEM_CORE_DLSYM_H
#define TANDEM_CORE_DLSYM_H

/* The C library's. Set by whoever asks for the first symbol. */
extern void *(*dlsym_real)(void *library, const char *name) __attribute__((visibility("hidden")));

/* What dlsym(library, name) returns to `caller`; NULL: what the real one does, which is to see the
 * same caller. Any thread, also before any constructor has run. Keeps errno. */
__attribute__((visibility("hidden"))) void *dlsym_answer(void *library, const char *name,
							 const void *caller);

#endif
