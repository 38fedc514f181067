"""Words as FTS5 has them."""

from minicrawl.search.stems import Stems


def test_words_are_what_the_index_has():
    stems = Stems()
    found = stems.of(["Running", "naïve", "c++", "std::vector", "mod_rewrite", "日本語", "", "Running"])
    assert found == {
        "Running": ("run",),
        "naïve": ("naiv",),
        "c++": ("cplusplu",),
        "std::vector": ("std", "vector"),
        "mod_rewrite": ("mod", "rewrit"),
        "日本語": ("日本", "本語"),
        "": (),
    }
    assert stems.of(["naive"])["naive"] == found["naïve"]
    stems.close()
