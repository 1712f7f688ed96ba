#include "trace/foreign.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int ctf_read(const char *path, const char *module, const struct foreign_sink *sink,
		    struct error *error)
{
	void *library = module ? dlopen(module, RTLD_NOW | RTLD_LOCAL) : NULL;
	foreign_ctf_fn *read;
	char why[400] = "";
	void *symbol;
	int status;

	if (!library) {
		error_set_mend(error, "install libbabeltrace2-dev and build tandem again");
		return error_add(error, -ENOTSUP, "%s: this tandem reads no CTF of other tools%s%s",
				 path, module ? ": " : "", module ? dlerror() : "");
	}
	symbol = dlsym(library, FOREIGN_CTF_SYMBOL);
	memcpy(&read, &symbol, sizeof(read));
	status = read ? read(path, sink, why, sizeof(why)) : -ENOTSUP;
	if (*why)
		error_add(error, status, "%s: %s", path, why);
	/* Stays loaded: what it brings along can't be unloaded in safety. */
	return status;
}

int foreign_read(const char *path, const char *module, const struct foreign_sink *sink,
		 struct error *error)
{
	struct stat status;

	if (stat(path, &status))
		return error_add(error, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return ctf_read(path, module, sink, error);
	return foreign_dat_read(path, sink, error);
}
