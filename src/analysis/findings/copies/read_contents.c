/* SPDX-License-Identifier: MIT */
#include "analysis/findings/copies/read_contents.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/operations/content_words.h"

int read_contents_begin(struct read_contents *contents, const struct trace_session *session)
{
	contents->processes = calloc(session->process_count + 1, sizeof(*contents->processes));
	return contents->processes ? 0 : -ENOMEM;
}

struct read_content *read_contents_add(struct read_contents *contents, uint32_t process,
				       uint32_t stream, uint64_t call, uint64_t buffer,
				       uint64_t memory,
				       const struct tandem_rec_content_read *content)
{
	struct read_contents_process *reads = &contents->processes[process];
	struct read_content *read = &reads->reads[reads->next++ % READ_CONTENTS];

	*read = (struct read_content){
		.stream = stream,
		.call = call,
		.buffer = buffer,
		.bytes = content->bytes,
		.hash = content->hash,
		.memory = memory,
	};
	return read;
}

void read_contents_arrived(struct read_contents *contents, uint32_t process, uint32_t stream,
			   const struct async_read *from,
			   const struct tandem_rec_content_arrived *content)
{
	struct read_contents_process *reads = &contents->processes[process];

	bool tells = content_words_tell(content->words);

	/* All of it is one value: by chance elsewhere, hardly in the same memory. */
	if (tells || (from->host && content_words_mostly(content->words, content->words)))
		reads->reads[reads->next++ % READ_CONTENTS] = (struct read_content){
			.stream = stream,
			.call = from->call,
			.buffer = from->buffer,
			.bytes = content->bytes,
			.words = content->words,
			.host = tells ? 0 : from->host,
			.memory = from->host,
		};
}

static bool is_same(const struct read_content *read, const struct tandem_rec_content *content)
{
	return read->bytes == content->bytes &&
	       (read->words ? read->words == content->words : read->hash == content->hash);
}

/* The `age`th latest, from 1. */
static struct read_content *read_at(struct read_contents_process *reads, unsigned age)
{
	return &reads->reads[(reads->next - age) % READ_CONTENTS];
}

struct read_content *read_contents_written(struct read_contents *contents, uint32_t process,
					   uint32_t stream, uint64_t buffer, uint64_t host,
					   const struct tandem_rec_content *content)
{
	struct read_contents_process *reads = &contents->processes[process];

	for (unsigned age = 1; age <= READ_CONTENTS; age++) {
		struct read_content *read = read_at(reads, age);

		if (!read->call || !is_same(read, content) ||
		    (read->stream != stream && !(read->memory && read->memory == host)) ||
		    (read->host && read->host != host))
			continue;
		if (read->to == buffer)
			return NULL;
		read->to = buffer;
		return read;
	}
	return NULL;
}

struct read_content *read_contents_find(struct read_contents *contents, uint32_t process,
					uint64_t call)
{
	struct read_contents_process *reads = &contents->processes[process];

	for (unsigned age = 1; call && age <= READ_CONTENTS; age++)
		if (read_at(reads, age)->call == call)
			return read_at(reads, age);
	return NULL;
}

void read_contents_release(struct read_contents *contents)
{
	free(contents->processes);
}
