"""One thread for matrix arithmetic: a second one makes a text faster by a quarter and dearer by a third of its CPU.

On a busy machine waiting threads spin, which is worse still. The libraries below numpy read these variables once,
when numpy is first imported; so this module imports nothing, and is called before anything else.
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
