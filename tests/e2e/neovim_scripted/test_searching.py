"""Searching: order of answers, cancelling, and what stays selected."""


def test_each_key_cancels_the_running_search(nvim, vault):
    nvim.search(vault)
    for query in ("hold", "hold1", "hold12"):
        nvim.type(query[-1] if query != "hold" else query)
        nvim.picker(f"s.query == '{query}' and s.phase == 'asking'")
        while query not in [params["query"] for params in nvim.received("vaultseek/search")]:
            nvim.picker("true")
    assert len(nvim.received("$/cancelRequest")) == 2
    nvim.keys("<C-c>")
    nvim.wait("require('vaultseek.picker').snapshot() == nil")
    nvim.wait_received("$/cancelRequest", 3)


def test_keys_in_quick_succession_send_one_search(nvim, vault):
    nvim.lua("require('vaultseek').setup({debounce_ms = 300})")
    nvim.search(vault)
    nvim.type("quick")
    nvim.picker("s.phase == 'done' and s.query == 'quick'")
    assert [params["query"] for params in nvim.received("vaultseek/search")][-1] == "quick"
    assert len(nvim.received("vaultseek/search")) < 3


def test_partial_answers_are_shown_and_replaced_and_older_ones_dropped(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "by name", generation=2, partial=True)
    assert nvim.picker("s.phase == 'partial'")["ids"] == ["by name.md"]
    nvim.wait_screen("1/1 …")
    nvim.say("hold", "stale", generation=1, partial=True)
    nvim.say("hold", "by name", "by text", generation=3, partial=True)
    assert nvim.picker("#s.ids == 2")["phase"] == "partial"
    nvim.say("hold", "by text", "by name", "by meaning", generation=3)
    assert nvim.picker()["ids"] == ["by text.md", "by name.md", "by meaning.md"]
    nvim.say("hold", "too late", generation=4, partial=True)
    nvim.type("er")
    assert nvim.picker("s.query == 'holder'")["ids"] == ["by text.md", "by name.md", "by meaning.md"]


def test_an_answer_to_an_older_query_is_ignored(nvim, vault):
    nvim.search(vault, "hold1")
    nvim.wait_received("vaultseek/search", 1)
    nvim.type("x")
    nvim.wait_received("vaultseek/search", 2)
    nvim.say("hold1x", "new", generation=1)
    assert nvim.picker()["ids"] == ["new.md"]
    nvim.say("hold1", "old", generation=9, partial=True)
    nvim.say("hold1", "old", generation=9)
    answered = (
        "local r = require('vaultseek.client').request('vaultseek/search', {query = 'x', vault = ...}, {folder = '/'},"
    )
    nvim.lua(f"{answered} function() _G.answered = true end)", vault.as_uri())
    nvim.wait("answered", because="the answer behind both")
    assert nvim.picker()["ids"] == ["new.md"]


def test_the_selected_note_stays_selected_when_results_are_replaced(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "There", "Cousin", partial=True)
    nvim.picker("#s.ids == 2")
    nvim.keys("<C-n>")
    nvim.picker("s.selected == 2")
    nvim.say("hold", "Nephew", "There", "alone", "Cousin")
    assert nvim.picker()["selected"] == 4
    nvim.keys("<CR>")
    nvim.wait("vim.fn.expand('%:t') == 'Cousin.md'")


def test_weak_results_are_below_a_line_that_unfolds_them(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "Weak moss", "There", "Weak fern", "Cousin", partial=True)
    assert nvim.picker("#s.ids > 0")["ids"] == ["There.md", "Cousin.md", "▸ 2 weak results"]
    nvim.keys("<C-n><C-n>")
    nvim.picker("s.selected == 3")
    nvim.keys("<CR>")
    shown = nvim.picker("#s.ids > 3")
    assert shown["ids"] == ["There.md", "Cousin.md", "▾ 2 weak results", "Weak moss.md", "Weak fern.md"]
    nvim.keys("<C-n>")
    assert nvim.picker("s.selected == 4")["lines"].count("▾ 2 weak results") == 1
    nvim.say("hold", "There", "Weak moss", "Weak fern")
    unfolded = nvim.picker()
    assert (unfolded["ids"][unfolded["selected"] - 1], len(unfolded["ids"])) == ("Weak moss.md", 4)
    nvim.keys("<C-p><CR>")
    assert nvim.picker("#s.ids == 2")["selected"] == 2


def test_results_that_are_all_weak_are_shown_and_said_to_be_so(nvim, vault):
    nvim.search(vault, "hold")
    nvim.wait_received("vaultseek/search", 1)
    nvim.say("hold", "Weak moss", "Weak fern")
    shown = nvim.picker()
    assert shown["ids"] == ["Weak moss.md", "Weak fern.md"]
    assert "Nothing answers this well." in shown["lines"]


def test_a_key_searches_notes_only_and_all_files_again(nvim, vault):
    nvim.lua("require('vaultseek').setup({kinds = 'notes'})")
    nvim.search(vault, "first")
    nvim.picker("s.phase == 'done'")
    nvim.keys("<C-g>")
    nvim.wait_received("vaultseek/search", 2)
    nvim.picker("s.phase == 'done'")
    nvim.keys("<C-g>")
    asked = nvim.wait_received("vaultseek/search", 3)
    assert [(params["query"], params.get("options")) for params in asked] == [
        ("first", {"types": ["md"]}),
        ("first", None),
        ("first", {"types": ["md"]}),
    ]
    nvim.wait_screen("notes 1/1")


def test_the_arithmetic_of_a_strength_has_a_line_for_each_fact(nvim):
    words = """{
      {word = 'oak', weight = 2, quality = 0.63, match = 'stem', form = 'oaks', field = 'body', isNear = true},
      {word = 'yesterday', weight = 5, quality = 0.8, match = 'meant', isNear = false},
      {word = 'elm', weight = 3, quality = 0, isNear = false}}"""
    numbers = "value = 0.6, coverage = 0.5, nearness = 0.25, byWords = 0.45, byMeaning = 0.3"
    meaning = "cosine = 0.5, floor = 0.2, ceiling = 0.6"

    def lines(strength):
        return nvim.lua(f"return require('vaultseek.explain').strength({strength})")

    facts = [
        "oak, weight 2: stem oaks in body, quality 0.63, near the others",
        "yesterday, weight 5: meant, quality 0.8",
        "elm, weight 3: no match, quality 0",
        "words 0.45: coverage 0.5, nearness 0.25",
        "meaning 0.3: cosine 0.5 between 0.2 and 0.6",
        "strength 0.6",
    ]
    assert lines(f"{{words = {words}, {numbers}, {meaning}}}") == facts
    assert lines(f"{{words = {words}, {numbers}}}") == [*facts[:4], facts[5]]
    assert lines("{exactName = 'Oak', words = {}, value = 1}") == ["the query is the name “Oak”", "strength 1"]
    assert nvim.lua("return #require('vaultseek.explain').strength(nil)") == 0
    shown = "return require('vaultseek.render').strength({strength = %s})"
    assert [nvim.lua(shown % strength) for strength in ("0.5", "1", "nil")] == ["0.50", "1.00", "    "]
