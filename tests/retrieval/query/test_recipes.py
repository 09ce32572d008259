"""Recipes: what each changes, how a home changes them, and that a call's own options win."""

from pathlib import Path

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError, InvalidSettingsError
from brain_retrieval.query.request import build_options
from brain_retrieval.settings import Recipe, RetrievalSettings, load_settings
from brain_retrieval.settings.recipes import BUILT_IN

SETTINGS = RetrievalSettings()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import os

    for name in [name for name in os.environ if name.upper().startswith("BRAIN_RETRIEVAL")]:
        monkeypatch.delenv(name)
    return tmp_path


def write(home: Path, text: str) -> RetrievalSettings:
    (home / "brain.toml").write_text(text, encoding="utf-8")
    return load_settings(home).retrieval


def test_every_field_of_a_recipe_is_one_of_the_settings_with_the_same_limits() -> None:
    of_settings = RetrievalSettings.model_json_schema()["properties"]
    for name, field in Recipe.model_json_schema()["properties"].items():
        whole = of_settings[name].get("anyOf", [of_settings[name]])[0]
        limits = {key: value for key, value in whole.items() if key not in ("default", "title")}
        assert field["anyOf"][0] == limits, name
    not_in_recipes = {"max_query_chars", "analysis", "judge", "prompt_tokens", "recipe", "recipes"}
    assert set(RetrievalSettings.model_fields) - set(Recipe.model_fields) == not_in_recipes


def test_the_built_in_recipes_change_what_they_say_and_nothing_else() -> None:
    assert tuple(BUILT_IN) == ("default", "fast", "thorough", "meetings", "evidence")
    assert SETTINGS.under() == SETTINGS.under("default") == SETTINGS
    for name, recipe in BUILT_IN.items():
        changed = {key for key in Recipe.model_fields if getattr(SETTINGS.under(name), key) != getattr(SETTINGS, key)}
        assert changed == set(recipe.changes), name
    fast, thorough = SETTINGS.under("fast"), SETTINGS.under("thorough")
    assert fast.arm_depth < SETTINGS.arm_depth < thorough.arm_depth
    assert (fast.second_hop, fast.expand, fast.beside, thorough.second_hop) == (False, False, 0, True)


def test_a_file_changes_fields_of_a_built_in_recipe_and_adds_others(home: Path) -> None:
    found = write(home, "[retrieval.recipes.fast]\nk = 3\n[retrieval.recipes.mine]\nfusion = 'rrf'\nexpand = false")
    assert (found.under("fast").k, found.under("fast").arm_depth) == (3, BUILT_IN["fast"].arm_depth)
    assert (found.under("mine").fusion, found.under("mine").expand, found.under("mine").k) == ("rrf", False, 10)
    assert found.recipe_names == (*BUILT_IN, "mine")


def test_the_recipe_of_a_home_is_used_where_a_call_names_none(home: Path) -> None:
    found = write(home, "[retrieval]\nrecipe = 'thorough'\nneighbours = 5")
    assert (build_options(found).limit, found.under("default").k) == (30, 10)
    assert (found.under("thorough").neighbours, found.under("default").neighbours) == (2, 5)
    assert build_options(found, recipe="default").limit == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[retrieval]\nrecipe = 'quick'", "no recipe is called 'quick'; the recipes are default, fast, thorough"),
        ("[retrieval.recipes.fast]\nkk = 3", "retrieval.recipes.fast.kk: unknown key; did you mean 'k'"),
        ("[retrieval.recipes.fast]\nk = 0", "retrieval.recipes.fast.k"),
        ("[retrieval.recipes.mine]\nvector_weight = 0.0\nlexical_weight = 0.0", "recipes.mine: Value error, vector_w"),
    ],
)
def test_a_wrong_recipe_in_a_file_is_named(home: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        write(home, text)
    assert message in str(caught.value)


def test_an_unknown_recipe_of_a_call_lists_those_there_are(brain: Brain) -> None:
    for call in (brain.search, brain.context):
        with pytest.raises(InvalidQueryError, match="no recipe is called 'slow'; the recipes are default, fast"):
            call("Phoenix", recipe="slow")


def test_options_of_a_call_win_over_those_of_the_recipe() -> None:
    found = build_options(SETTINGS, recipe="evidence", k=2, expand=True, min_similarity=0.1, fusion="rrf")
    assert (found.limit, found.expand, found.min_similarity, found.method) == (2, True, 0.1, "rrf")
    rest = build_options(SETTINGS, recipe="evidence")
    assert (rest.limit, rest.expand, rest.min_similarity, rest.method) == (20, False, 0.25, "weighted")


def test_a_recipe_reaches_the_search_and_the_pack(library: Path, trees_that_always_count: None) -> None:
    settings = load_settings(library)
    own = {"mine": Recipe(k=2, neighbours=0, parent_weight=0.0), "tiny": Recipe(context_hits=1, context_tokens=30)}
    own["plain"] = Recipe(trained=False)
    retrieval = settings.retrieval.model_copy(update={"recipes": own})
    with Brain.open(library, user="alice", settings=settings.model_copy(update={"retrieval": retrieval})) as brain:
        question = "was the plumber expensive"
        named = (None, "mine", "plain")
        plain, mine, formula = (brain.search(question, recipe=name, log=False, min_score=0) for name in named)
        assert len(plain) > len(mine) == 2
        for why in (hit.why_ranked for hit in mine):
            assert why.final == pytest.approx(why.neighbourhood + sum([*why.boosts.values(), *why.learned.values()]))
        assert plain[0].why_ranked.learned and not formula[0].why_ranked.learned
        pack = brain.context(question, recipe="tiny", log=False, min_score=0)
        assert (pack.max_tokens, len(pack.items) + len(pack.dropped)) == (30, 1)
