"""Limits matrix arithmetic to one thread.

On an idle machine a second thread makes a text a quarter faster and costs a third more CPU time. On a busy machine,
threads that wait for each other spin: with four programs on two cores, short texts took twelve times as long.

The libraries under numpy read these variables once, when numpy is first imported. This module therefore does not import
numpy and is called before anything else. (The package threadpoolctl also works later, but not for Accelerate on macOS.)
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
    """Set the variables that are not set; a number that the user chose stays. No effect once numpy is imported."""
    for variable in _VARIABLES:
        environ.setdefault(variable, "1")
