/* SPDX-License-Identifier: MIT */
/* In which order this library's constructors run: that of these numbers. Those of domains have
 * none, and run after them all.
 *
 *	__attribute__((constructor(CONSTRUCTOR_STREAMS))) static void stream_key_make(void)
 */
#ifndef TANDEM_CORE_CONSTRUCTORS_H
#define TANDEM_CORE_CONSTRUCTORS_H

#define CONSTRUCTOR_FORKS 101
#define CONSTRUCTOR_SESSION 102 /* the page is mapped */
#define CONSTRUCTOR_STREAMS 103
#define CONSTRUCTOR_SINKS 104

#endif
