# SPDX-License-Identifier: MIT
"""The corpus of faults (tests/findings/corpus), on the stub's device with engines of its own."""
import os
import sys

from traces import BUILD

CORPUS = os.path.join(BUILD, "tests", "findings", "corpus", "corpus")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so"),
        "STUB_ENGINE": "units", "STUB_KITEM_US": "3", "STUB_KBYTE_US": "1", "STUB_DELAY_US": "20"}

if not os.access(CORPUS, os.X_OK):
    print("the corpus is not built: no OpenCL")
    sys.exit(77)
