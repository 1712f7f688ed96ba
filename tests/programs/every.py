#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the body of every.c: one call of each function that is in the loader's
table and that the headers declare.

  every.py CL/cl_icd.h CL/cl.h CL/cl_gl.h OUTPUT

Each function becomes two blocks: with nulls and zeros, and with objects that are
valid. Arguments follow from a parameter's type and name, and from EXACT where
that gives nothing sensible.
"""
import re
import sys

# Without these the loader itself, or the C library, would crash on a null.
NO_NULLS = {"clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform"}

OBJECTS = {
    "cl_platform_id": "w.platform", "cl_device_id": "w.device", "cl_context": "w.context",
    "cl_command_queue": "w.queue", "cl_mem": "buffer", "cl_program": "w.program",
    "cl_kernel": "w.add", "cl_event": "done", "cl_sampler": "sampler",
}
RELEASE = {
    "cl_context": "clReleaseContext", "cl_command_queue": "clReleaseCommandQueue",
    "cl_mem": "clReleaseMemObject", "cl_program": "clReleaseProgram",
    "cl_kernel": "clReleaseKernel", "cl_event": "clReleaseEvent", "cl_sampler": "clReleaseSampler",
}
NAMES = {  # parameters by name
    "param_value": "bytes", "param_value_size": "sizeof(bytes)", "param_value_size_ret": "&size",
    "errcode_ret": "&error", "num_events_in_wait_list": "0", "event_wait_list": "NULL",
    "origin": "zero3", "src_origin": "zero3", "dst_origin": "zero3", "buffer_origin": "zero3",
    "host_origin": "zero3", "buffer_offset": "zero3", "host_offset": "zero3", "region": "one3",
    "global_work_size": "one3", "work_dim": "1", "image": "image", "src_image": "image",
    "dst_image": "image2", "dst_buffer": "buffer2", "size": "16", "cb": "16", "ptr": "bytes",
    "pattern": "bytes", "fill_color": "bytes", "pattern_size": "4", "image_format": "&format",
    "image_desc": "&desc", "image_width": "4", "image_height": "4", "image_depth": "4",
    "num_devices": "1", "device_list": "&w.device", "devices": "&w.device", "options": "\"\"",
    "svm_ptr": "svm", "dst_ptr": "svm", "src_ptr": "bytes", "svm_pointers": "svms",
    "num_svm_pointers": "1", "image_row_pitch": None, "num_mem_objects": "1",
    "mem_objects": "&buffer", "num_objects": "1", "image_slice_pitch": None, "properties": None,
    "packet_size": "4", "pipe_packet_size": "4", "max_packets": "4", "pipe_max_packets": "4",
    "kernel_name": "\"add\"", "arg_size": "sizeof(buffer)", "arg_value": "&buffer",
    "device_type": "CL_DEVICE_TYPE_ALL", "num_platforms": "&number", "count": "1",
    "strings": "&text", "il": "text", "length": "strlen(text)", "mapped_ptr": "mapped",
    "user_func": "native", "cb_args": "8", "args": "bytes", "num_kernels_ret": "&number",
    "num_image_formats": "&number", "image_type": "CL_MEM_OBJECT_IMAGE2D",
    "num_input_programs": "1", "input_programs": "&w.program", "device_timestamp": "&time",
    "host_timestamp": "&time", "kernel_names": "\"none\"", "gl_object_type": "&number",
    "gl_object_name": "&number", "funcname": "\"clNoSuchKHR\"", "func_name": "\"clNoSuchKHR\"",
    "function_name": "\"clNoSuchKHR\"",
}
EXACT = {  # (function, parameter)
    ("clGetDeviceIDs", "num_entries"): "0", ("clGetDeviceIDs", "devices"): "NULL",
    ("clWaitForEvents", "num_events"): "1", ("clWaitForEvents", "event_list"): "&done",
    ("clEnqueueWaitForEvents", "num_events"): "1",
    ("clEnqueueWaitForEvents", "event_list"): "&done",
    ("clSetUserEventStatus", "event"): "user",
    ("clSetEventCallback", "command_exec_callback_type"): "CL_COMPLETE",
    ("clSetEventCallback", "pfn_notify"): "on_event",
    ("clSetMemObjectDestructorCallback", "pfn_notify"): "on_memory",
    ("clSetContextDestructorCallback", "pfn_notify"): "on_context",
    ("clSetProgramReleaseCallback", "pfn_notify"): "on_program",
    ("clSVMFree", "svm_pointer"): "extra_svm", ("clGetPipeInfo", "pipe"): "pipe",
    ("clCreateSubDevices", "properties"): "partition",
    ("clCreateSubDevices", "out_devices"): "NULL",
    ("clCreateSubDevices", "num_devices"): "0",
    ("clCreateSubBuffer", "buffer_create_type"): "CL_BUFFER_CREATE_TYPE_REGION",
    ("clCreateSubBuffer", "buffer_create_info"): "&part",
    ("clCreateProgramWithBinary", "binaries"): "binaries",
    ("clCreateProgramWithBinary", "lengths"): "lengths",
    ("clEnqueueUnmapMemObject", "memobj"): "buffer",
    ("clSetCommandQueueProperty", "old_properties"): "&flags",
    ("clSetKernelExecInfo", "param_name"): "CL_KERNEL_EXEC_INFO_SVM_PTRS",
    ("clSetKernelExecInfo", "param_value_size"): "sizeof(svms)",
    ("clSetKernelExecInfo", "param_value"): "svms",
    ("clSetKernelArgSVMPointer", "arg_value"): "svm",
    ("clEnqueueSVMFree", "num_svm_pointers"): "0", ("clEnqueueSVMFree", "svm_pointers"): "NULL",
    ("clEnqueueMapImage", "image_row_pitch"): "&size",
    ("clEnqueueMapImage", "image_slice_pitch"): "&size",
    ("clEnqueueSVMMigrateMem", "svm_pointers"): "(const void **)svms",
    ("clEnqueueFillImage", "image"): "image",
    ("clGetImageInfo", "image"): "image",
}
PARAM_NAMES = {
    "clGetPlatformInfo": "CL_PLATFORM_VERSION", "clGetDeviceInfo": "CL_DEVICE_TYPE",
    "clGetContextInfo": "CL_CONTEXT_NUM_DEVICES",
    "clGetCommandQueueInfo": "CL_QUEUE_PROPERTIES", "clGetMemObjectInfo": "CL_MEM_SIZE",
    "clGetImageInfo": "CL_IMAGE_WIDTH", "clGetPipeInfo": "CL_PIPE_PACKET_SIZE",
    "clGetSamplerInfo": "CL_SAMPLER_FILTER_MODE", "clGetProgramInfo": "CL_PROGRAM_NUM_DEVICES",
    "clGetProgramBuildInfo": "CL_PROGRAM_BUILD_STATUS", "clGetKernelInfo": "CL_KERNEL_NUM_ARGS",
    "clGetKernelWorkGroupInfo": "CL_KERNEL_WORK_GROUP_SIZE",
    "clGetEventInfo": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "clGetEventProfilingInfo": "CL_PROFILING_COMMAND_END",
}


def functions(table, headers):
    """(return type, name, [(type, name)]) of each function of the table, in order."""
    text = open(table).read()
    text = text[text.index("typedef struct _cl_icd_dispatch"):]
    order = re.findall(r"\b(?:cl_api_\w+\s+|\w+_t\s*\*\s*)(cl\w+);", text)
    text = "".join(open(header).read() for header in headers)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    found = {}
    pattern = (r"extern\s+CL_API_ENTRY\s+(?:CL_API_PREFIX__\w+\s+)?([\w\s]+?\*?)\s*CL_API_CALL"
               r"\s+(\w+)\s*\((.*?)\)\s*CL_API_SUFFIX")
    for result, name, parameters in re.findall(pattern, text, re.S):
        found[name] = (" ".join(result.split()), name, list(split(parameters)))
    return [found[name] for name in order if name in found]


def split(parameters):
    depth, word = 0, ""
    for letter in parameters + ",":
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            word = " ".join(word.split())
            if word and word != "void":
                yield parameter(word)
            word = ""
        else:
            word += letter


def parameter(word):
    match = re.search(r"\(\s*(?:CL_CALLBACK)?\s*\*\s*(\w+)\s*\)", word)
    if match:
        return "function", match[1]
    match = re.match(r"(.*?[\s*])(\w+)\s*((?:\[\d*\])?)$", word)
    kind = match[1].strip() + (" *" if match[3] else "")
    return re.sub(r"\s*\*", " *", kind).strip(), match[2]


def argument(function, kind, name):
    if (function, name) in EXACT:
        return EXACT[function, name]
    if name == "param_name":
        return PARAM_NAMES.get(function, "0")
    if kind in OBJECTS and name not in ("image", "src_image", "dst_image", "dst_buffer"):
        return OBJECTS[kind]
    if kind == "cl_event *":
        return "&event"
    if kind == "cl_uint *":
        return "&number"
    if NAMES.get(name):
        return NAMES[name]
    return "NULL" if "*" in kind or kind == "function" else "0"


def nothing(kind, name):
    if name == "errcode_ret":
        return "&error"
    return "NULL" if "*" in kind or kind == "function" or kind in OBJECTS else "0"


def block(result, name, arguments):
    call = f"{name}({', '.join(arguments)})"
    out = ["\tSTART();"]
    if result == "void":
        out += [f"\t{call};", f"\tSHOW(\"{name}\", 0L);"]
    elif result in RELEASE or "*" in result:
        out += ["\t{", f"\t\t{result} made = {call};", "",
                f"\t\tSHOW(\"{name}\", (long)(made != NULL));"]
        if result in RELEASE:
            out += ["\t\tif (made)", f"\t\t\t{RELEASE[result]}(made);"]
        if name == "clSVMAlloc":
            out += ["\t\textra_svm = made;"]
        if name == "clEnqueueMapBuffer":
            out += ["\t\tmapped = made;"]
        out += ["\t}"]
    else:
        out += [f"\tSHOW(\"{name}\", (long){call});"]
    if "&event" in arguments:
        out += ["\tif (event)", "\t\tclReleaseEvent(event);", "\tevent = NULL;"]
    return "\n".join(out)


def main():
    table, *headers, output = sys.argv[1:]
    nulls, valid = [], []
    for result, name, parameters in functions(table, headers):
        if "D3D" in name or "DX9" in name:
            continue
        # Extensions are no part of the loader's own symbols.
        if name.endswith(("KHR", "EXT")):
            continue
        if name not in NO_NULLS:
            nulls.append(block(result, name, [nothing(k, n) for k, n in parameters]))
        valid.append(block(result, name, [argument(name, k, n) for k, n in parameters]))
    with open(output, "w") as file:
        file.write("static void nulls_call(void)\n{\n"
                   + "\n".join(nulls) + "\n}\n\n"
                   "static void valid_call(void)\n{\n" + "\n".join(valid) + "\n}\n")


if __name__ == "__main__":
    main()
