# SPDX-License-Identifier: MIT
"""Writes tests/gen/opencl_types.c: what we know of OpenCL against its headers."""

from c_text import head

INCLUDES = """\
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#define CL_ENABLE_BETA_EXTENSIONS
#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
"""


def types_c(calls, api, sources):
    out = [head("Static asserts: each function has the parameters that the header declares, each "
                "type crosses the ABI as what we lower it to, and each named value is the "
                "header's. Functions that a header does not have are left out: c_types.py "
                "defines DECLARED_clName for those that it has.", sources), INCLUDES, """\
#ifdef DECLARED
#include DECLARED
#include "domains/opencl/gen/next.h"

#define SAME(type, lowered)                                                    \\
	_Static_assert(sizeof(type) == sizeof(lowered) &&                      \\
			       _Alignof(type) == _Alignof(lowered),            \\
		       #type " is not a " #lowered)
#define SAME_SIGN(type, lowered)                                               \\
	SAME(type, lowered);                                                   \\
	_Static_assert(((type)-1 < 1) == ((lowered)-1 < 1), #type " has another sign")
#define HAS_TYPE(name, type)                                                   \\
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), type), #name)
"""]
    for call in calls:
        function = call.function
        out.append("#ifdef DECLARED_%s" % call.name)
        lines = [same(function.type, function.c)] if function.c != "void" else []
        for param in function.params:
            if param.type not in ("callback", "word"):
                lines.append(same(param.type, param.c))
        out += sorted(set(lines))
        if any(param.type == "word" for param in function.params):
            pass  # its parameters differ from header to header
        elif any(param.type == "callback" for param in function.params):
            # The description does not have a callback's parameters.
            arguments = ["0" if param.type == "callback" else "(%s)0" % param.type
                         for param in function.params]
            out.append("_Static_assert(sizeof(%s(%s)), \"%s\");"
                       % (call.name, ", ".join(arguments), call.name))
        else:
            out.append("HAS_TYPE(%s, %s (CL_API_CALL *)(%s));"
                       % (call.name, function.type,
                          ", ".join(param.type for param in function.params) or "void"))
        out.append("#endif\n")
    for struct in sorted(api.structs):
        out.append("SAME(%s, struct opencl_%s);" % (struct, struct))
        for _, member in api.structs[struct]:
            out.append("_Static_assert(offsetof(%s, %s) == offsetof(struct opencl_%s, %s), \"%s\");"
                       % (struct, member, struct, member, member))
    out.append("")
    seen = set()
    for _, names in api.names.values():
        for value, word in names.values:
            if word not in seen:
                seen.add(word)
                out.append("#ifdef %s\n_Static_assert((int64_t)(%s) == %s, \"%s\");\n#endif"
                           % (word, word, value, word))
    out.append("#endif")
    return "\n".join(out) + "\n"


def same(type_name, lowered):
    return "%s(%s, %s);" % ("SAME" if "*" in lowered else "SAME_SIGN", type_name, lowered)
