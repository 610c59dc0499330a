"""One thread for matrix arithmetic. Two make a text faster by a quarter and cost a third more CPU on an idle machine.

On a busy one, threads that wait for each other spin: with four programs on two cores, short texts took twelve times
as long. The libraries below numpy read these variables once, when numpy is first imported; so this module
imports nothing of it, and is called before anything else. (The package threadpoolctl can do it later, but not for
Accelerate on macOS.)
"""

from collections.abc import MutableMapping

_VARIABLES = (
    "OPENBLAS_NUM_THREADS",  # numpy's wheels on Linux and Windows
    "VECLIB_MAXIMUM_THREADS",  # Accelerate, on macOS
    "MKL_NUM_THREADS",  # conda
    "BLIS_NUM_THREADS",
    "OMP_NUM_THREADS",
)


def limit_blas_to_one_thread(environ: MutableMapping[str, str]) -> None:
    """Set what is not set; who set a number of threads keeps it. Without effect once numpy is imported."""
    for variable in _VARIABLES:
        environ.setdefault(variable, "1")
