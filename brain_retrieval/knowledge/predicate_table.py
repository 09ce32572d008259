"""The predicate table: synonymous surface forms of each canonical predicate and its temporal behaviour. Data only.

Forms are predicates as extraction writes them: verbs in lemma form, passives as "be <participle> <preposition>". A form
may occur in several rows; the first whose `objects` and `subjects` match is used. A form in no row is kept unchanged
and such facts never replace others.
"""

from dataclasses import dataclass

from brain_retrieval.language.lexicon import SHARED

_LEXICON = SHARED.read("predicates")

ANY: frozenset[str] = frozenset()
PLACE = frozenset({"Location"})
GROUP = frozenset({"Organization"})
PERSON = frozenset({"Person"})
LITERAL = frozenset({"Literal"})
THING = _LEXICON.words("thing")
WARE = frozenset({"Tool", "Project", "Document"})
# Kinds that a name gives its type away to: see `kind_of_object` and `kind_of_subject` in `predicates.py`.
STATUS = frozenset({"Status"})
STAGE = frozenset({"Stage"})
ATTRIBUTE = frozenset({"Attribute"})
TEAM = frozenset({"Team"})


@dataclass(frozen=True)
class Predicate:
    """A canonical predicate.

    `forms` are its surface forms, `flipped` those with subject and object exchanged. `changes` are forms that state
    its beginning ("move to"): a date with them is the start, and they do not assert that the fact still
    holds. `functional`: one object at a time; `exclusive`: one subject at a time for an object.
    `subjects` and `objects` restrict the entity types.
    """

    name: str
    family: str
    forms: str = ""  # separated by "|", as are the next two
    flipped: str = ""
    changes: str = ""
    functional: bool = False
    exclusive: bool = False
    symmetric: bool = False
    relation: str = ""  # one of RELATIONS; "" leaves what extraction says
    subjects: frozenset[str] = ANY
    objects: frozenset[str] = ANY


@dataclass(frozen=True)
class Ending:
    """Forms that end facts of other predicates about the same subject and object; "role" means every office."""

    forms: str
    ends: tuple[str, ...]


PREDICATES = (
    # place
    Predicate(
        "live in", "place", "live in|reside in|be resident of|be based in|live at|be living in", "",
        "move to|relocate to|move back to|settle in|settle down in|emigrate to", functional=True,
        subjects=PERSON, objects=PLACE,
    ),
    Predicate(
        "be located in", "place", "be located in|be based in|be headquartered in|have headquarters in|be situated in",
        "", "relocate to|move to|be relocated to", functional=True, subjects=THING, objects=PLACE,
    ),
    Predicate("live inside", "place", "live in", subjects=PERSON),
    # work
    Predicate(
        "work at", "work", "work at|work for|be employed by|be employed at|be employee of", "employ|employ as",
        "join|start at|start work at|begin at|be hired by", functional=True, relation="MEMBER_OF",
        subjects=PERSON, objects=GROUP,
    ),
    Predicate("work at", "work", "", "hire", "", functional=True, relation="MEMBER_OF", subjects=GROUP, objects=PERSON),
    Predicate("work in", "work", "work at|work for|work in", subjects=PERSON),
    Predicate("be member of", "work", "be member of|belong to|be on", "", "join", relation="MEMBER_OF",
              subjects=PERSON, objects=GROUP | TEAM | frozenset({"Project"})),
    Predicate("report to", "work", "report to|be managed by|work under", "manage|supervise|be manager of|be boss of|"
              "be supervisor of", functional=True, relation="WORKS_WITH", subjects=PERSON, objects=PERSON),
    Predicate(
        "lead", "work", "lead|head|head up|be lead of|be lead on|be lead for|be leader of|be head of|be team lead of|"
        "be project lead of|be project lead for|be tech lead of|be in charge of", "be led by|be headed by",
        "take over|become lead of|become head of|become leader of", exclusive=True, subjects=PERSON,
    ),
    Predicate("study at", "work", "study at|attend|be student at|be student of", "", "enrol at|enroll at",
              subjects=PERSON, objects=GROUP),
    # people
    Predicate("be married to", "people", "be married to|be wife of|be husband of|be spouse of", "",
              "marry|get married to", functional=True, symmetric=True, relation="KNOWS",
              subjects=PERSON, objects=PERSON),
    Predicate("be engaged to", "people", "be engaged to|be fiancé of|be fiancée of", functional=True, symmetric=True,
              relation="KNOWS", subjects=PERSON, objects=PERSON),
    Predicate("date", "people", "date|be girlfriend of|be boyfriend of|be partner of", symmetric=True,
              relation="KNOWS", subjects=PERSON, objects=PERSON),
    # tools and possessions
    Predicate("use", "work", "use|rely on|work with", "", "adopt|switch to|migrate to|move to|start use",
              relation="USES", objects=WARE),
    Predicate("use", "work", "use", "", "adopt|switch to|start use", relation="USES"),
    Predicate("own", "possession", "own|be owner of", "belong to|be owned by", "buy|purchase|acquire", relation="OWNS"),
    # likes
    Predicate("prefer", "preference", "prefer"),
    Predicate("like", "preference", "like|love|enjoy|adore|be fan of|be fond of"),
    Predicate("dislike", "preference", "dislike|hate|detest|loathe|can not stand"),
    Predicate("avoid", "rule", "avoid|abstain from"),
    # rules
    Predicate("have policy", "policy", "have policy"),
    Predicate("have rule", "rule", "have rule|have guideline"),
    Predicate("have convention", "rule", "have convention"),
    # values
    Predicate(
        "be scheduled for", "time", "be scheduled for|be scheduled on|be planned for|be due on|be due by|be due in|"
        "be due|be set for|be on|be in|launch on|launch in|ship on|ship in|release on|start on|end on|be slated for",
        "", "move to|be moved to|be postponed to|be delayed to|be delayed until|be postponed until|be pushed to|"
        "be rescheduled to|be rescheduled for|be shifted to|be extended to|be brought to|slip to", functional=True,
        subjects=THING | ATTRIBUTE, objects=LITERAL,
    ),
    Predicate("cost", "value", "cost|be priced at", functional=True, objects=LITERAL),
    Predicate("have status", "status", "be|be on|be in|have status", "", "become|go", functional=True,
              subjects=THING | ATTRIBUTE, objects=STATUS),
    Predicate("have stage", "status", "be|be in|have stage", "", "become|go to|move to|enter", functional=True,
              subjects=THING | ATTRIBUTE, objects=STAGE),
    Predicate("have value", "value", "be|equal|amount to|be set to", "", "become|be changed to|be raised to|"
              "be increased to|be reduced to|be cut to|be lowered to|change to|rise to|move to|be moved to",
              functional=True, subjects=ATTRIBUTE),
)  # fmt: skip

ENDINGS = (
    Ending("leave|quit|resign from|quit at|be fired from|be laid off from|be dismissed from|retire from|depart|"
           "depart from|leave job at|be let go from", ("work at", "be member of", "role")),
    Ending("move from|move of|move out of|move away from|relocate from|emigrate from", ("live in", "be located in",
                                                                                      "use")),
    Ending("switch from|migrate from|drop|abandon|ditch|retire|replace|stop use|deprecate|remove|get rid of", ("use",)),
    Ending("sell|give away", ("own",)),
    Ending("divorce|be divorced from|separate from", ("be married to",)),
    Ending("break up with|split from|split up with", ("date", "be engaged to")),
    Ending("step down from|hand over|step back from|give up", ("lead", "role", "own")),
    Ending("graduate from|drop out of|leave", ("study at",)),
    Ending("prefer over", ("prefer",)),
    Ending("dislike", ("like", "prefer")),
    Ending("like|prefer", ("dislike",)),
)  # fmt: skip

# Offices that one holds at a time: "be CEO of". Other roles ("member", "founder", "friend") are shared.
SOLE_ROLES = _LEXICON.words("sole_roles")
ROLE_NAMES = {
    "chief executive": "ceo", "chief executive officer": "ceo", "chief technology officer": "cto",
    "chief financial officer": "cfo", "chief operating officer": "coo", "prime minister": "prime minister",
}  # fmt: skip
NOT_EMPLOYED = _LEXICON.words("not_employed")

STATUS_WORDS = _LEXICON.words("status_words")
STAGE_WORDS = _LEXICON.words("stage_words")
ATTRIBUTE_WORDS = _LEXICON.words("attribute_words")
TEAM_WORDS = _LEXICON.words("team_words")
