#include "cli/cuda_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "schema/cuda.h"

static const char *const choices[] = {
#define X(word, on, words) #word,
	TANDEM_CUDA_CHOICES(X)
#undef X
	NULL,
};

static int word_parse(const char *word, uint32_t *mask)
{
	bool without = *word == '-';
	int choice = cli_parse_word(word + without, choices);

	if (choice < 0) {
		cli_error("--cuda: there is no `%s`; see --help", word + without);
		return -EINVAL;
	}
	if (without)
		*mask &= ~(1u << choice);
	else
		*mask |= 1u << choice;
	return 0;
}

int cuda_options_parse(const char *list, uint32_t *mask)
{
	char word[32];

	*mask = *list == '-' ? TANDEM_CUDA_DEFAULT : 0;
	while (*list) {
		size_t length = strcspn(list, ",");

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		if (word_parse(word, mask))
			return -EINVAL;
		list += length + (list[length] == ',');
	}
	/* What an option stands on comes with it. */
	if (*mask & (TANDEM_CUDA_BIT(all) | TANDEM_CUDA_BIT(queries)))
		*mask |= TANDEM_CUDA_BIT(api);
	if (*mask & (TANDEM_CUDA_BIT(graphs) | TANDEM_CUDA_BIT(latency) | TANDEM_CUDA_BIT(external)))
		*mask |= TANDEM_CUDA_BIT(kernels);
	if (*mask & TANDEM_CUDA_BIT(cubin))
		*mask |= TANDEM_CUDA_BIT(modules);
	if (*mask)
		return 0;
	cli_error("--cuda: name one thing at least");
	return -EINVAL;
}

int cuda_capture_parse(const char *text, char *capture, size_t bytes)
{
	size_t prefix = strlen(TANDEM_CAPTURE_NVTX);
	bool range = !strncmp(text, TANDEM_CAPTURE_NVTX, prefix) && text[prefix];

	if (!range && strcmp(text, TANDEM_CAPTURE_PROFILER) != 0) {
		cli_error("--capture: it is not `%s`; " TANDEM_CAPTURE_PROFILER
			  " or " TANDEM_CAPTURE_NVTX "NAME", text);
		return -EINVAL;
	}
	if (strlen(text) >= bytes) {
		cli_error("--capture: the range's name is too long");
		return -EINVAL;
	}
	strcpy(capture, text);
	return 0;
}
