"""Entity resolution: which names are joined, which stay apart, and the resulting tables."""

import polars as pl
import pytest

from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.lookup import inferred_names
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES
from tests.pipelines.knowledge.entities.history import named, resolved, row, run, tables
from tests.pipelines.knowledge.entities.labelled_people import HALVES, labelled
from tests.pipelines.knowledge.entities.people_in_mail import MAIL


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("Person", "Alice Chen", "alice  chen"),
        ("Person", "Alice Chen", "Chen, Alice"),
        ("Person", "Alice Chen", "Dr. Alice Chen"),
        ("Person", "Alice Chen", "Alice"),
        ("Person", "Alice Chen", "Ms. Chen"),
        ("Person", "Caroline", "Bye Caroline"),
        ("Person", "Alice Chen", "alice"),
        ("Person", "Alice Chen", "A. Chen"),
        ("Person", "Alice Chen", "alice.chen@acme.com"),
        ("Person", "Alice Chen", "achen@acme.com"),
        ("Person", "Kilian", "@kilian"),
        ("Person", "@TideRower", "@tiderower"),
        ("Person", "Alice Marie Chen", "Alice Chen"),
        ("Person", "Robert Smith", "Bob Smith"),
        ("Person", "Friedrich Huber", "Fritz Huber"),
        ("Person", "Elisabeth Moser", "Liesl Moser"),
        ("Person", "Josef Moser", "Sepp"),
        ("Person", "José Ruiz", "Pepe Ruiz"),
        ("Person", "Luigi Conti", "Gigi Conti"),
        ("Person", "José García", "Jose Garcia"),
        ("Person", "Jürgen Müller", "Juergen Mueller"),
        ("Person", "Wei Zhang", "Zhang Wei"),
        ("Person", "Sarah O'Neil", "Sarah O’Neil"),
        ("Organization", "Acme", "The Acme Corporation"),
        ("Organization", "Acme", "Acme’s"),
        ("Organization", "World Health Organization", "WHO"),
        ("Organization", "Fernley Foods", "Fernley"),
        ("Organization", "U.S.A.", "USA"),
        ("Project", "Phoenix", "Project Phoenix"),
        ("Concept", "front-end", "frontend"),
        ("Concept", "design review", "Design reviews"),
        ("Tool", "Elasticsearch", "ElasticSearch"),
        ("Location", "Café Lumière", "Cafe Lumiere"),
    ],
)
def test_variants_of_one_name_are_joined(kind: str, one: str, other: str) -> None:
    address = "@" in other[1:]
    found = run([row("s1", one, kind), row("s2", other, "Concept" if address else kind)])
    assert found.known_entities.height == 1


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("Person", "Anna Smith", "Anne Smith"),
        ("Person", "Alice Chen", "Alice Walker"),
        ("Person", "Alice Chen", "B. Chen"),
        ("Person", "Mr. Alex Kim Jr.", "Alex Kim Sr."),
        ("Person", "Oliver Hansen", "Oliver Hanson"),
        ("Person", "Alice Chen", "info@acme.com"),
        ("Person", "王伟", "王芳"),
        ("Person", "girl", "trans girl"),
        ("Person", "kids", "Melanie's kids"),
        ("Project", "Phoenix 2", "Phoenix 3"),
        ("Project", "Phoenix 2", "Phoenix"),
        ("Document", "report_v2.pdf", "report_v3.pdf"),
        ("Organization", "Apex Partners", "Apex Systems"),
        ("Organization", "tech company", "tech"),
        ("Tool", "C++", "C#"),
        ("Tool", "Slack", "Slick"),
        ("Concept", "contract", "contact"),
        ("Concept", "UI", "user interface"),
    ],
)
def test_names_of_different_things_stay_apart(kind: str, one: str, other: str) -> None:
    address = "@" in other[1:]
    found = run([row("s1", one, kind), row("s2", other, "Concept" if address else kind)])
    assert found.known_entities.height == 2


def test_person_and_place_of_one_name_stay_apart_unless_a_type_is_uncertain() -> None:
    sure = run([row("s1", "Paris", "Person"), row("s2", "Paris", "Location")])
    assert sure.known_entities.height == 2
    unsure = run([row("s1", "Paris", "Person", confidence=0.6), row("s2", "Paris", "Location")])
    assert unsure.known_entities["type"].to_list() == ["Location"]


def test_given_name_is_resolved_by_cooccurring_names() -> None:
    rows = [
        *(row(f"a{n}", name) for n in range(3) for name in ("Alice Chen", "Priya Raman")),
        *(row(f"b{n}", name) for n in range(3) for name in ("Alice Walker", "Tom Becker")),
        row("c1", "Alice"),
        row("c1", "Priya Raman"),
        row("c2", "Alice"),
        row("c2", "Tom Becker"),
        row("c3", "Alice"),
    ]
    found = run(rows)
    member = dict(found.members.select("member_id", "entity_id").iter_rows())
    assert member["c1/Person/Alice"] == member["a0/Person/Alice Chen"]
    assert member["c2/Person/Alice"] == member["b0/Person/Alice Walker"]
    assert member["c3/Person/Alice"] not in (member["c1/Person/Alice"], member["c2/Person/Alice"])
    apart = found.merges.filter((pl.col("decision") == "kept_apart") & (pl.col("left_name") == "Alice"))
    assert set(apart["right_name"]) == {"Alice Chen", "Alice Walker"}
    assert "do not tell" in apart["reason"][0]


def test_recorded_alias_links_other_sources() -> None:
    rows = [row("s1", "Robert Martinez", "Person", "Red"), row("s2", "Red"), row("s3", "Robert Martinez")]
    assert named(run(rows)) == {"Robert Martinez": {"Robert Martinez", "Red"}}


def test_full_names_in_one_source_stay_apart_and_the_reason_is_logged() -> None:
    found = run([row("s1", "Robert Smith"), row("s1", "Bob Smith"), row("s2", "Bob Smith")])
    assert found.known_entities.height == 2
    kept = found.merges.row(0, named=True)
    assert (kept["decision"], kept["rule"], kept["reason"]) == ("kept_apart", "nickname", "both are named in 1 source")


def test_short_forms_of_another_first_name_need_the_surname() -> None:
    found = run(
        [row("s1", "Friedrich Huber"), row("s2", "Fritz Lang"), row("s3", "Josef Huber"), row("s4", "Pepe Huber")]
    )
    assert found.known_entities.height == 4


def test_rare_full_name_does_not_absorb_a_common_given_name() -> None:
    found = run([row("x", "Alice Walker"), *(row(f"s{n}", "Alice") for n in range(30))])
    assert found.known_entities.height == 2


def test_rare_full_name_absorbs_a_common_given_name_with_shared_context() -> None:
    others = [row(s, name) for s in ("x", "s1") for name in ("Priya Raman", "Tom Becker")]
    found = run([row("x", "Alice Walker"), *(row(f"s{n}", "Alice") for n in range(30)), *others])
    assert named(found)["Alice Walker"] == {"Alice Walker", "Alice"}


def test_counts_follow_event_time_and_confidence_adds_up_over_sources() -> None:
    rows = [row("s1", "Acme", "Organization", confidence=0.5, day=3), row("s2", "Acme", "Tool", confidence=0.4, day=9)]
    rows += [row("s3", "Acme Inc", "Organization", confidence=0.8, day=9)]
    entity = run(rows).known_entities.row(0, named=True)
    assert entity["confidence"] == pytest.approx(1 - 0.5 * 0.6 * 0.2)
    assert (entity["type"], entity["source_count"], entity["distinct_source_days"]) == ("Organization", 3, 2)
    assert (entity["last_mentioned_at"] - entity["first_mentioned_at"]).days == 6
    assert entity["entity_id"] == content_id("entity", "dana", "Entity", "acme")
    assert entity["description"] == "Organization; in 3 sources"


def test_description_falls_back_to_facts() -> None:
    rows = [row("s1", "Alice Chen"), row("s2", "Alice")]
    fact = {
        "relation": "OWNS",
        "predicate": "lead",
        "object": "UI redesign",
        "polarity": "affirmed",
        "modality": "asserted",
    }
    facts = pl.DataFrame([{**fact, "subject_id": r["entity_id"], "source_id": r["source_id"]} for r in rows])
    assert run(rows, facts=facts).known_entities["description"].to_list() == ["Person; in 2 sources; lead UI redesign"]


def test_extracted_description_is_preferred_to_facts() -> None:
    rows = pl.DataFrame([row("s1", "Kafka", "Tool"), row("s2", "Kafka", "Tool")])
    found = run(rows.with_columns(pl.Series("description", [None, "a message broker"])))
    assert found.known_entities["description"].to_list() == ["Tool; in 2 sources; a message broker"]


def test_alias_shared_by_two_people_does_not_join_them() -> None:
    rows = [
        row("s1", "Alice Chen", "Person", "my manager", "she"),
        row("s2", "Priya Raman", "Person", "my manager", "she"),
    ]
    assert run(rows).known_entities.height == 2


def test_thing_once_mistyped_as_person_is_not_part_of_a_person_name() -> None:
    rows = [row(f"s{n}", "Kafka", "Tool") for n in range(3)]
    found = run([*rows, row("t1", "Kafka", "Person", confidence=0.6), row("t2", "Franz Kafka")])
    assert named(found) == {"Kafka": {"Kafka"}, "Franz Kafka": {"Franz Kafka"}}


def test_entities_below_thresholds_are_left_out_with_their_members() -> None:
    rows = [row("s1", "Acme", "Organization"), row("s2", "Acme", "Organization"), row("s3", "Kafka", "Tool")]
    found = run(rows, min_mentions=2)
    assert found.known_entities["name"].to_list() == ["Acme"]
    assert found.report["entities_left_out"] == found.report["members_left_out"] == 1
    assert run(rows, min_confidence=0.95).known_entities["name"].to_list() == ["Acme"]


@pytest.mark.parametrize("half", [0, 1])
def test_labelled_history_precision_and_recall(half: int) -> None:
    pairs = list(labelled(HALVES[half]))
    truth = {entity["entity_id"]: key for entity, key in pairs}
    found = dict(run([entity for entity, _ in pairs]).members.select("member_id", "entity_id").iter_rows())
    same = {(a, b) for a in truth for b in truth if a < b and truth[a] == truth[b]}
    joined = {(a, b) for a in truth for b in truth if a < b and found[a] == found[b]}
    assert len(joined - same) / len(joined) <= 0.05
    assert len(same - joined) / len(same) <= 0.15


def test_people_in_mail_are_neither_merged_wrongly_nor_split() -> None:
    pairs = list(labelled(MAIL))
    found = dict(run([entity for entity, _ in pairs]).members.select("member_id", "entity_id").iter_rows())
    people: dict[str, set[str]] = {}
    for entity, key in pairs:
        if entity["type"] == "Person":
            people.setdefault(key, set()).add(found[entity["entity_id"]])
    entities = [entity_id for ids in people.values() for entity_id in ids]
    wrong = {entity_id for entity_id in entities if entities.count(entity_id) > 1}
    assert len(wrong) / len(set(entities)) <= 0.02
    assert sum(len(ids) > 1 for ids in people.values()) / len(people) <= 0.05


def test_parentheses_are_no_alias_and_common_words_have_no_acronym() -> None:
    rows = [row(f"s{n}", f"{name} (Member, CPC)") for n, name in enumerate(("Anita Rao", "Colm Byrne", "Dilys Pugh"))]
    rows += [row("s3", "UK", "Location"), row("s3", "user's knowledge", "Concept")]
    assert set(named(run(rows))) == {"Anita Rao", "Colm Byrne", "Dilys Pugh", "UK", "user's knowledge"}


def test_former_name_in_brackets_is_one_person() -> None:
    rows = [row("s1", "Anna Schmidt (née Weber)"), row("s2", "Anna Weber"), row("s3", "Anna Schmidt")]
    assert set(named(run(rows))) == {"Anna Schmidt"}


def test_two_nicknames_of_one_source_are_not_both_the_full_name() -> None:
    rows = [row("s1", "Elizabeth Carr"), row("s2", "Liz Carr"), row("s2", "Beth Carr")]
    assert run(rows).known_entities.height == 3
    titled = [row("s1", "Dieter Vogt"), row("s2", "Herr Vogt"), row("s2", "Frau Vogt")]
    assert run(titled).known_entities.height == 3


def test_a_nickname_among_others_than_the_full_name_is_another_person() -> None:
    club = [row("s1", "Magdalena Moser"), row("s1", "Heinz Gruber")]
    home = [row("s2", "Leni"), row("s2", "Jonas")]
    assert run([*club, *home]).known_entities.height == 4
    assert run([*club, *home, row("s2", "Heinz Gruber")]).known_entities.height == 3


def test_a_relative_is_one_person_with_the_full_name() -> None:
    found = run([row("s1", "Lisbeth", "Person", "Oma Lisbeth"), row("s2", "Oma"), row("s3", "Lisbeth Moser")])
    assert found.known_entities.height == 1
    two = [row("s1", "Lisbeth", "Person", "Oma Lisbeth"), row("s1", "Zenzi", "Person", "Oma Zenzi"), row("s2", "Oma")]
    assert run(two).known_entities.height == 3


def test_who_speaks_beside_a_full_name_is_not_its_nickname() -> None:
    whole = [row(s, "Julia Leung", confidence=0.95) for s in "ab"]
    found = named(run([*whole, row("a", "Jules", confidence=0.95), row("c", "Jules")]))
    assert found == {"Julia Leung": {"Julia Leung"}, "Jules": {"Jules"}}
    assert named(run([*whole, row("a", "Jules", confidence=0.85)])).keys() == {"Julia Leung"}


def test_frames_match_the_table_schemas() -> None:
    names = ("entity_members", "known_entities", "entity_names", "entity_merges")
    for rows in ([], [row("s1", "Alice Chen"), row("s2", "Alice")]):
        for name, table in zip(names, tables(resolved(rows)), strict=True):
            assert table.schema == pl.DataFrame(SNAPSHOT_TABLES[name].empty_table()).schema
            assert table.equals(table.sort(table.columns[0]))
            assert table[table.columns[0]].is_unique().all()


@pytest.mark.parametrize(
    "name", ["", "   ", "!!!", "\u200b", "x" * 10_000, "🙂", "a\x00b", "İ", "ﬁne", "@", "..", "'s", "Jr."]
)
@pytest.mark.parametrize("kind", ["Person", "Concept", "Tool", "widget", ""])
def test_unusual_names_do_not_fail(name: str, kind: str) -> None:
    found = run([row("s1", name, kind, name, "Alice"), row("s2", name, kind), row("s3", "Alice Chen")])
    assert found.members.height == 3
    assert found.known_entities["name"].str.len_chars().max() <= 200  # type: ignore[operator]
    shown = resolved([row("s1", name, kind, name, "Alice"), row("s2", name, kind), row("s3", "Alice Chen")])
    assert set(shown.members["entity_id"]) == set(shown.names["entity_id"])


def test_hundred_thousand_rows_of_one_name() -> None:
    one = pl.DataFrame([row("s", "Alice Chen", "Person", "Alice")])
    many = pl.concat([one] * 100_000).with_row_index("i")
    many = many.with_columns(pl.format("e{}", "i").alias("entity_id"), pl.format("s{}", "i").alias("source_id"))
    found = run(many.drop("i"))
    assert found.known_entities["source_count"].to_list() == [100_000]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Barlow Drive", "Location"),
        ("Lindenauer Straße", "Location"),
        ("Edgar-Brandt-Platz", "Location"),
        ("Calle Barlow", "Location"),
        ("Rue Barlow", "Location"),
        ("Via Barlow", "Location"),
        ("Rua Barlow", "Location"),
        ("Barlow Systems", "Organization"),
    ],
)
@pytest.mark.parametrize("wrong", ["Person", "Concept"])
def test_the_words_of_a_name_decide_its_type(name: str, kind: str, wrong: str) -> None:
    for rows in ([row("s1", name, wrong), row("s2", name, kind, confidence=0.6)], [row("s1", name, wrong)]):
        assert run(rows).known_entities.select("name", "type").rows() == [(name, kind)]
    assert run([row("s1", "Diane Lane")]).known_entities["type"].to_list() == ["Person"]


def test_a_guessed_person_is_the_place_that_a_sentence_shows() -> None:
    guessed = [row(f"s{n}", "Nether Wallop", confidence=0.7) for n in range(5)]
    shown = row("s9", "Nether Wallop", "Location", confidence=0.75)
    assert run([*guessed, shown]).known_entities["type"].to_list() == ["Location"]
    alice = [row("s1", "Alice", confidence=0.85), row("s2", "Alice", confidence=0.7)]
    assert set(run([*alice, row("s3", "Alice", "Location")]).known_entities["type"]) == {"Person", "Location"}


def test_several_words_are_one_entity_unless_both_types_are_sure() -> None:
    rows = [row("s1", "Favor Barlow", confidence=0.85), row("s2", "Favor Barlow", "Organization", confidence=0.85)]
    rows += [row("s3", "Favor Barlow", "Organization", confidence=0.7)]
    assert run(rows).known_entities.select("type", "source_count").rows() == [("Organization", 3)]
    sure = [row("s1", "Hugo Barlow", confidence=0.95), row("s2", "Hugo Barlow", "Organization", confidence=0.9)]
    assert run(sure).known_entities.height == 2


def test_streets_that_differ_by_their_last_word_stay_apart() -> None:
    assert (
        run([row("s1", "Barlow Drive", "Location"), row("s2", "Barlow Drove", "Location")]).known_entities.height == 2
    )


def test_an_initial_that_only_a_lone_name_fits_is_a_guess() -> None:
    found = run([row("s1", "Alice", "Person", "A. Chen")])
    (merge,) = found.merges.to_dicts()
    assert (merge["rule"], merge["score"], merge["decision"]) == ("guess", 0.5, "merged")
    assert merge["reason"].startswith("a guess")
    (entity,) = found.known_entities.to_dicts()
    assert inferred_names(found.merges, entity["entity_id"], entity["aliases"]) == ("A. Chen",)


def test_a_surname_joins_the_only_name_with_an_initial() -> None:
    rows = [row("s1", "M. Ostrow"), row("s2", "Ostrow"), row("s3", "Ostrow"), row("s4", "Martin")]
    assert named(run(rows)) == {"M. Ostrow": {"M. Ostrow", "Ostrow"}, "Martin": {"Martin"}}


def test_a_surname_of_two_bearers_is_decided_by_its_sources() -> None:
    rows = [row("s1", "Mary Hale"), row("s2", "P. Hale"), row("s3", "Hale"), row("s4", "Hale"), row("s4", "P. Hale")]
    found = run(rows)
    assert named(found) == {"Mary Hale": {"Mary Hale"}, "P. Hale": {"P. Hale", "Hale"}, "Hale": {"Hale"}}
    assert set(found.merges.filter(pl.col("decision") == "kept_apart")["right_name"]) >= {"Mary Hale", "P. Hale"}
    assert set(named(run([*rows[:1], *rows[2:4], row("s5", "M. Hale")]))) == {"Mary Hale"}


def test_initials_and_nicknames_are_inferred_and_parts_of_a_name_are_not() -> None:
    found = run([row("s1", "Alice Chen", "Person", "A. Chen", "Alice"), row("s2", "Alice")])
    (entity,) = found.known_entities.to_dicts()
    assert set(entity["aliases"]) == {"A. Chen", "Alice"}
    assert inferred_names(found.merges, entity["entity_id"], entity["aliases"]) == ("A. Chen",)
    decided = found.merges.with_columns(decided_by=pl.lit("owner"))
    assert inferred_names(decided, entity["entity_id"], entity["aliases"]) == ()


def test_a_surname_of_one_letter_is_that_of_the_only_one_who_fits() -> None:
    known = [row("s1", "Solène G"), row("s2", "Solène Garnier"), row("s3", "Solène")]
    assert named(run(known)) == named(run(known[::-1]))
    assert run(known).known_entities["name"].to_list() == ["Solène Garnier"]
    two = [row("s1", "Solène G"), row("s2", "Solène Garnier"), row("s3", "Solène Gautier")]
    assert run(two).known_entities.height == 3
    assert run([row("s1", "Solène G"), row("s2", "Solène Morel")]).known_entities.height == 2
