"""One notice of each code in an answer."""

from search.notice import Notice, NoticeKind, one_of_each


def notice(code: str, message: str) -> Notice:
    return Notice(NoticeKind.SKIPPED, code, message, message[:1])


def test_notices_of_different_codes_stay_as_they_are():
    notices = (notice("a", "A."), notice("b", "B."))
    assert one_of_each(notices) == notices


def test_notices_of_one_code_become_one_that_is_about_the_first():
    found = one_of_each([notice("a", "A."), notice("b", "B."), notice("a", "C?"), notice("a", "A.")])
    assert [(one.code, one.message, one.subject) for one in found] == [("a", "A. C?", "A"), ("b", "B.", "B")]


def test_further_notices_of_one_code_are_counted():
    def merged(n_notices):
        return one_of_each(notice("a", f"{n}.") for n in range(n_notices))[0].message

    assert merged(3) == "0. 1. 2."
    assert merged(4) == "0. 1. 2. And 1 more like it."
    assert merged(9) == "0. 1. 2. And 6 more like these."
