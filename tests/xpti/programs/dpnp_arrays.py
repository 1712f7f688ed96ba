# SPDX-License-Identifier: MIT
"""Linear algebra, sorting and random numbers by dpnp. Prints ok."""
import dpnp as np
a = np.arange(1 << 16, dtype=np.float32).reshape(256, 256)
b = a @ a.T
c = np.sin(b).sum()
d = np.sort(np.random.rand(1000))
e = np.linalg.solve(a[:64, :64] + 1e6 * np.eye(64, dtype=np.float32), np.ones(64, dtype=np.float32))
print("ok" if bool((d[1:] >= d[:-1]).all()) and float(c) == float(c) else "wrong")
