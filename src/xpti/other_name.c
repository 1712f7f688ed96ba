/* SPDX-License-Identifier: MIT */
/* libxptifw.so.1: nothing but a name, by which the loader finds libxptifw.so (framework.c). */
