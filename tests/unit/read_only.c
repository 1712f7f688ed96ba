/* SPDX-License-Identifier: MIT */
/* Which arguments a kernel only reads, by its text (domains/opencl/source/read_only.h). */
#include "domains/opencl/source/read_only.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct found {
	char text[256];
	struct source_uses uses; /* of the latest */
};

static void note(void *user, const char *kernel, size_t bytes, const struct source_uses *uses)
{
	struct found *found = user;
	size_t at = strlen(found->text);

	found->uses = *uses;
	if (!uses->reads)
		return;
	snprintf(found->text + at, sizeof(found->text) - at, "%s%.*s:%x", at ? " " : "", (int)bytes,
		 kernel, uses->reads);
}

/* The text has no byte behind it that could be read. */
static bool says(const char *text, const char *wanted)
{
	struct found found = {.text = ""};
	size_t bytes = strlen(text);
	char *copy = malloc(bytes ? bytes : 1);

	if (!copy)
		return false;
	memcpy(copy, text, bytes);
	read_only_arguments(copy, bytes, note, &found);
	free(copy);
	if (strcmp(found.text, wanted) != 0)
		fprintf(stderr, "%s\n-> %s, not %s\n", text, found.text, wanted);
	return !strcmp(found.text, wanted);
}

/* What the body of the last kernel has. */
static bool has(const char *text, enum tandem_kernel_body wanted)
{
	struct found found = {.uses.body = TANDEM_KERNEL_BODY_unknown};

	read_only_arguments(text, strlen(text), note, &found);
	if (found.uses.body != wanted)
		fprintf(stderr, "%s\n-> %d, not %d\n", text, (int)found.uses.body, (int)wanted);
	return found.uses.body == wanted;
}

/* Of the arguments a and b: of which the body only assigns elements, or counts on what they were. */
static bool does(const char *body, uint32_t writes, uint32_t keeps)
{
	struct found found = {.text = ""};
	char text[512];

	snprintf(text, sizeof(text), "kernel void k(global float *a, global float4 *b, int n) {%s}",
		 body);
	read_only_arguments(text, strlen(text), note, &found);
	if (found.uses.writes != writes || found.uses.keeps != keeps)
		fprintf(stderr, "%s\n-> %x %x, not %x %x\n", body, found.uses.writes,
			found.uses.keeps, writes, keeps);
	return found.uses.writes == writes && found.uses.keeps == keeps;
}

static void test_writes(void)
{
	CHECK(does("a[n] = 1;", 1, 0));
	CHECK(does("a[n] = b[0].x; if (n) a[n + 1] = 2;", 1, 0));
	CHECK(does("a[n] = a[n] * 2;", 0, 1));
	CHECK(does("float x = a[n]; for (int i = 0; i < n; i++) x *= 2; a[n] = x;", 0, 1));
	CHECK(does("a[n] += 1;", 0, 1));
	CHECK(does("a[n]++; b[n] = 1;", 2, 1));
	/* It may have been assigned before it is read, or not. */
	CHECK(does("a[n] = 1; b[0] = a[n];", 2, 0));
	CHECK(does("b[n].x = 1;", 0, 0));
	CHECK(does("b[n].x += 1;", 0, 2));
	CHECK(does("a[n] = 1; f(a);", 0, 0));
	CHECK(does("a[n] = 1; atomic_inc(&a[0]);", 0, 0));
	CHECK(does("a[n] = 1; SET(a[0]);", 0, 0));
	CHECK(does("global float *p = a; a[n] = p[0];", 0, 0));
	CHECK(does("*a = 1;", 0, 0));
	CHECK(does("a[a[n]] = 1;", 0, 1));
	CHECK(does("n = a[n];", 0, 0));
	CHECK(does("\n#define P a\n a[n] = P[0];", 0, 0));
}

static void test_loops(void)
{
	const enum tandem_kernel_body unknown = TANDEM_KERNEL_BODY_unknown;
	const enum tandem_kernel_body plain = TANDEM_KERNEL_BODY_plain;
	const enum tandem_kernel_body loops = TANDEM_KERNEL_BODY_loops;

	CHECK(has("kernel void k(global float *a) { a[0] = sqrt(a[1]); }", plain));
	CHECK(has("kernel void k(global float *a) { for (int i = 0; i < 8; i++) a[i] = 0; }",
		  loops));
	CHECK(has("kernel void k(global float *a) { while (a[0] < 1) a[0] *= 2; }", loops));
	CHECK(has("kernel void k(global float *a) { a[0] = native_exp(a[1]); }", loops));
	CHECK(has("kernel void k(global float *a) { a[0] = a[get_global_id(0) % 7]; }", loops));
	CHECK(has("kernel void k(global float *a) { /* for */ a[0] = \"for\"[1]; }", plain));
	CHECK(has("kernel void k(local float *a) { barrier(1); while (a[0]) ; }",
		  TANDEM_KERNEL_BODY_barriers));
	/* What others have concerns a kernel that calls them. */
	CHECK(has("float f(float x) { while (x < 1) x *= 2; return x; }"
		  "kernel void k(global float *a) { a[0] = f(a[1]); }",
		  unknown));
	CHECK(has("float f(float x) { while (x < 1) x *= 2; return x; }"
		  "kernel void k(global float *a) { a[0] = sqrt(a[1]); }",
		  plain));
	CHECK(has("float f(float x) { return x * x; }"
		  "kernel void k(global float *a) { a[0] = f(a[1]); }",
		  plain));
	CHECK(has("#define F(x) exp(x)\n kernel void k(global float *a) { a[0] = F(a[1]); }",
		  unknown));
	CHECK(has("#include \"f.h\"\n kernel void k(global float *a) { a[0] = a[1]; }", plain));
	CHECK(has(
		"kernel void j(global float *a) { for (;;) ; } kernel void k(global float *a) { a[0] = 1; }",
		plain));
	CHECK(has("kernel void k(global float *a) { a[0] = 1;", unknown));
}

static bool body_says(const char *body, const char *wanted)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "__kernel void k(__global float *a, __global float4 *b, int n) {%s}", body);
	return says(text, wanted);
}

static void test_bodies(void)
{
	CHECK(body_says("b[0] = a[1];", "k:1"));
	CHECK(body_says("int i = n; b[i].x += a[i] * a[i + n];", "k:1"));
	CHECK(body_says("if (a[0] == 1 || a[1] <= 2) b[0] = 1;", "k:1"));
	CHECK(body_says("b[n] = a[(int)a[n]];", "k:1"));
	CHECK(body_says("float4 s = n * b[0]; a[n] = s.x;", "k:2"));
	CHECK(body_says("b[n].a = 2; /* a = 1 */ // b\n", ""));
	CHECK(body_says("a[0]++;", ""));
	CHECK(body_says("--a[0]; a[1] <<= 1;", ""));
	CHECK(body_says("*a = 1;", ""));
	CHECK(body_says("float x; x = *a[0];", ""));
	CHECK(body_says("__global float *p = a; p[0] = 1;", ""));
	CHECK(body_says("atomic_add(&a[0], 1);", ""));
	CHECK(body_says("vstore4(b[0], 0, a);", "k:2"));
	CHECK(body_says("SET(a[0], 1);", ""));
	CHECK(body_says("float m = fmax(a[0], (a[1]));", "k:1"));
	CHECK(body_says("SET(1, n); float m = a[0];", "k:1"));
	CHECK(body_says("b->x = a[0];", "k:1"));
	CHECK(body_says("b[0].x = a[0]", "k:1"));
	CHECK(body_says("float x = a[0", ""));
	CHECK(body_says("}", ""));
	CHECK(body_says("", ""));
}

static void test_declarations(void)
{
	CHECK(says(
		"kernel void k(global const float *a, constant float *c, local float *l) { l[0] = 1; }",
		"k:3"));
	CHECK(says(
		"__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(read_only image2d_t a, "
		"write_only image2d_t b) { }",
		"k:1"));
	CHECK(says("__kernel void k(__global float *const a) { a[0] = 1; }", ""));
	CHECK(says("__kernel void k(float n, struct pair p) { n = p.a; }", ""));
	CHECK(says(
		"__kernel void k(__global float *a);\n__kernel void m(__global float *b) { n = b[0]; }",
		"m:1"));
	CHECK(says("void f(float *a) { a[0] = 1; } kernel void k(global float *a) { x = a[0]; }",
		   "k:1"));
	CHECK(says("#define A(i) a[i]\nkernel void k(global float *a) { A(0) = a[1]; }", ""));
	CHECK(says("#define A(i) \\\n a[i]\nkernel void k(global float *a) { A(0) = a[1]; }", ""));
	CHECK(says("#include \"x.h\"\nkernel void k(global float *a) { x = a[1]; }", ""));
	CHECK(says("#include \"x.h\"\nkernel void k(global const float *a) { x = a[1]; }", "k:1"));
	CHECK(says("const char *s = \"kernel void k(\";", ""));
	CHECK(says("kernel void", ""));
	CHECK(says("kernel void k(global float *a", ""));
	CHECK(says("/* kernel void k(global const float *a) {}", ""));
	CHECK(says("\"", ""));
	CHECK(says("", ""));
}

/* Any part of a text, and any of its bytes something else, is read within its bounds. */
static void test_damaged(void)
{
	static const char text[] =
		"#define F(x) x\n/* c */ __kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
		"void k(__global float *a, read_only image2d_t b) { // c\n"
		" float *p = \"s\\\"\", q = 'c'; a[b[0]].x <<= F(a[1]) -> 2; }\n";
	static const char others[] = "\0\\\"'/*#\n(){}[]=a";
	struct found found;

	for (size_t i = 0; i < sizeof(text); i++) {
		for (size_t j = 0; j <= sizeof(others); j++) {
			size_t bytes = j < sizeof(others) ? sizeof(text) : i;
			char *copy = malloc(bytes ? bytes : 1);

			if (!copy)
				return;
			memcpy(copy, text, bytes);
			if (j < sizeof(others))
				copy[i] = others[j];
			found = (struct found){.text = ""};
			read_only_arguments(copy, bytes, note, &found);
			free(copy);
		}
	}
}

int main(void)
{
	test_loops();
	test_writes();
	test_bodies();
	test_declarations();
	test_damaged();
	return check_status();
}
