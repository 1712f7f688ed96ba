/* SPDX-License-Identifier: MIT */
/* C++ names as their authors wrote them. The C++ runtime does it, found when it is
 * first needed (a machine that runs C++ programs has it); without it names stay as
 * they are. One thread.
 *
 *	char *name = demangle("_Z3addPfif");     "add(float*, int, float)", or NULL
 *	free(name);
 */
#ifndef TANDEM_UTIL_DEMANGLE_H
#define TANDEM_UTIL_DEMANGLE_H

/* Allocated, or NULL: it is no C++ name, or there is nobody who knows. The name of a type's
 * information (_ZTS, as SYCL names kernels) gives the type. */
char *demangle(const char *name);

/* Of a name that somebody else has demangled, the type: what follows "typeinfo name for ". */
const char *demangled_type(const char *name);

#endif
