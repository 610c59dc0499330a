"""One thread for arithmetic, unless the user chose another number."""

from search.providers.threads import limit_blas_to_one_thread


def test_every_library_gets_one_thread_and_a_users_choice_is_kept():
    environ = {"OPENBLAS_NUM_THREADS": "4", "HOME": "/home/ada"}
    limit_blas_to_one_thread(environ)
    assert environ.pop("OPENBLAS_NUM_THREADS") == "4"
    assert environ.pop("HOME") == "/home/ada"
    assert set(environ.values()) == {"1"}
