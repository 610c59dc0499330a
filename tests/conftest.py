"""Before any test imports numpy: one thread for arithmetic, as the program itself has it."""

import os

from search.providers.threads import limit_blas_to_one_thread

limit_blas_to_one_thread(os.environ)
