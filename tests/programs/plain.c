/* SPDX-License-Identifier: MIT */
/* A program that has nothing to do with OpenCL: echoes stdin, prints its
 * arguments, and returns the number of them. */
#include <stdio.h>

int main(int argc, char **argv)
{
	int letter;

	for (int i = 1; i < argc; i++)
		puts(argv[i]);
	while ((letter = getchar()) != EOF)
		putchar(letter);
	return argc - 1;
}
