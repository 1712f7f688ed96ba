# SPDX-License-Identifier: MIT
"""Writes next.h and next.c: the functions with lowered types, their numbers and
names, and the table of the real ones."""

from c_text import declare, head, params, wrap

NOT_FOUND = -1001  # CL_PLATFORM_NOT_FOUND_KHR: what a loader without a driver says


def constants_h(api, sources):
    """Every named value, so that the domain needs no header of OpenCL."""
    values = {}
    for _, names in api.names.values():
        values.update((word, number) for number, word in names.values)
    lines = ["#define %s %s" % (name, "(%d)" % value if value < 0 else "0x%x" % value)
             for name, value in sorted(values.items())]
    return "\n".join([head("OpenCL's named values.", sources),
                      "#ifndef TANDEM_DOMAINS_OPENCL_GEN_CONSTANTS_H",
                      "#define TANDEM_DOMAINS_OPENCL_GEN_CONSTANTS_H", "", *lines, "",
                      "#endif", ""])


def next_h(calls, api, sources):
    first = next(call.name for call in calls if call.extension)
    out = [head("The functions of OpenCL with every type lowered to what crosses the ABI (a handle "
                "or a pointer is void *), so that no OpenCL header is needed; their numbers and "
                "names; and the real functions that our wrappers call.", sources), """\
#ifndef TANDEM_DOMAINS_OPENCL_GEN_NEXT_H
#define TANDEM_DOMAINS_OPENCL_GEN_NEXT_H

#include <stddef.h>
#include <stdint.h>

/* The functions of the loader's dispatch table first, in its order, then those
 * that are reached by clGetExtensionFunctionAddress*() only, by name. */
enum opencl_fn {"""]
    out += ["\tOPENCL_FN_%s,%s" % (call.name, " /* %s */" % call.function.source)
            for call in calls]
    out.append("""\
	OPENCL_FN_COUNT,
	OPENCL_FN_FIRST_EXTENSION = OPENCL_FN_%s,
	OPENCL_EXTENSION_COUNT = OPENCL_FN_COUNT - OPENCL_FN_FIRST_EXTENSION,
};
""" % first)
    for call in calls:
        out.append(wrap("typedef %s(" % declare(call.function.c, "(*opencl_pfn_%s)" % call.name),
                        params(call.function), ");"))
    members = {True: [], False: []}
    for call in calls:
        members[call.extension].append("\t\t\topencl_pfn_%s %s;" % (call.name, call.name))
    out.append("""
#pragma GCC visibility push(hidden)

/* The real functions, by name and by number. Until opencl_bootstrap() has
 * filled the table (all entries: opencl_missing has one for every symbol that
 * the runtime lacks), an entry calls it and then itself again. */
struct opencl_next {
	union {
		void *all[OPENCL_FN_FIRST_EXTENSION];
		struct {
%s
		};
	};
};

extern struct opencl_next opencl_next;

/* What a program gets that calls a function which its runtime does not have:
 * CL_PLATFORM_NOT_FOUND_KHR, NULL. */
extern const struct opencl_next opencl_missing;

/* Finds the real functions and fills opencl_next; hand-written (loader.c). */
void opencl_bootstrap(void);

/* Extension functions: each platform may hand out its own, and each that we
 * wrap takes one slot; `real` is filled before `wrap` is given to the program. */
#define OPENCL_SLOTS 4

struct opencl_extensions {
	union {
		void *all[OPENCL_EXTENSION_COUNT]; /* by number - OPENCL_FN_FIRST_EXTENSION */
		struct {
%s
		};
	};
};

extern struct opencl_extensions opencl_ext_real[OPENCL_SLOTS];
extern void *const *const opencl_ext_wrap[OPENCL_SLOTS]; /* OPENCL_EXTENSION_COUNT each */

/* Our wrappers, by number; NULL for extension functions. */
extern void *const opencl_wraps[OPENCL_FN_COUNT];

extern const char *const opencl_fn_names[OPENCL_FN_COUNT];
extern const uint8_t opencl_fn_extension[OPENCL_FN_COUNT]; /* 1: not in the dispatch table */

/* Dispatch table slot -> enum opencl_fn, -1 for Direct3D's. */
#define OPENCL_ICD_SLOTS %d
extern const int16_t opencl_icd_table[OPENCL_ICD_SLOTS];

#pragma GCC visibility pop
""" % ("\n".join(members[False]), "\n".join(members[True]), len(api.icd)))
    for struct, fields in sorted(api.structs.items()):
        out.append("struct opencl_%s {" % struct)
        out += ["\t%s;" % declare(api.lower(type_name), name) for type_name, name in fields]
        out.append("};\n")
    out.append("#endif")
    return "\n".join(out) + "\n"


def next_c(calls, api, sources):
    out = [head("The table of the real functions: what its entries are at first, and what they "
                "are where the runtime has no such function.", sources), """\
#include "domains/opencl/gen/next.h"
"""]
    table = [call for call in calls if not call.extension]
    for call in table:
        function = call.function
        names = [param.name for param in function.params]
        out.append(wrap("static %s(" % declare(function.c, "first_" + call.name),
                        params(function), ")\n{"))
        out.append("\topencl_bootstrap();")
        out.append(wrap("%sopencl_next.%s(" % ("" if function.c == "void" else "return ", call.name),
                        names or [""], ");", 1))
        out.append("}\n")
    missing = {}
    for call in table:
        function = call.function
        error = function.param("errcode_ret") is not None
        key = (function.c, tuple(param.c for param in function.params), error)
        if key not in missing:
            missing[key] = "missing_%d" % len(missing)
            out.append(missing_function(function, missing[key], error))
    out.append("struct opencl_next opencl_next = {")
    out += ["\t.%s = first_%s," % (call.name, call.name) for call in table]
    out.append("};\n\nconst struct opencl_next opencl_missing = {")
    for call in table:
        function = call.function
        key = (function.c, tuple(param.c for param in function.params),
               function.param("errcode_ret") is not None)
        out.append("\t.%s = %s," % (call.name, missing[key]))
    out.append("};\n\nstruct opencl_extensions opencl_ext_real[OPENCL_SLOTS];\n")
    out.append("const char *const opencl_fn_names[OPENCL_FN_COUNT] = {")
    out += ["\t[OPENCL_FN_%s] = \"%s\"," % (call.name, call.name) for call in calls]
    out.append("};\n\nconst uint8_t opencl_fn_extension[OPENCL_FN_COUNT] = {")
    out += ["\t[OPENCL_FN_%s] = 1," % call.name for call in calls if call.extension]
    out.append("};\n\nconst int16_t opencl_icd_table[OPENCL_ICD_SLOTS] = {")
    known = {call.name for call in calls}
    out += ["\t%s," % ("OPENCL_FN_" + name if name in known else "-1, /* %s */" % name).rstrip(",")
            if name in known else "\t-1, /* %s */" % name for name in api.icd]
    out.append("};")
    return "\n".join(out) + "\n"


def missing_function(function, name, error):
    declared = ["%s" % declare(param.c, "a%d" % i) for i, param in enumerate(function.params)]
    out = [wrap("static %s(" % declare(function.c, name), declared or ["void"], ")\n{")]
    for i, param in enumerate(function.params):
        if not (error and param.name == "errcode_ret"):
            out.append("\t(void)a%d;" % i)
        else:
            out.append("\tif (a%d)\n\t\t*(int32_t *)a%d = %d;" % (i, i, NOT_FOUND))
    if function.c != "void":
        out.append("\treturn %s;" % ("NULL" if function.c == "void *" else NOT_FOUND))
    return "\n".join(out) + "\n}\n"
