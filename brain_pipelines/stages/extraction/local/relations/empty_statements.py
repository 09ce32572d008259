"""Words that make a clause say nothing that can be known: empty nouns, phrases that are a verb in disguise, praise.

"It made a difference", "we had a blast" and "that's awesome" are a large part of what people say to each other, and
none of it is about anything. How sentences are read is in `triples.py`; here are the lists, from reading conversations.
"""

from brain_pipelines.stages.extraction.local.wordlist import words

# Nouns that say nothing without what they refer to.
EMPTY = words(
    """lot lots load loads ton tons thing things way ways bit kind sort stuff one ones something anything everything
    nothing other others care sense time thanks congrats while ages luck"""
)
# As a subject they are everybody and any time.
ANYBODY = words("people person folks guys guy everyone anybody moment moments times life")
# With these verbs the noun carries no meaning of its own.
_PHRASES = {
    "make": words("difference impact progress effort point fun sure mistake mistakes"),
    "have": words("blast fun chance chances idea clue luck effect impact go look day doubt"),
    "take": words("place part chance chances step steps look break moment"),
    "give": words("try go chance shot shout hand shoutout boost"),
    "get": words("chance kick glimpse hang"),
    "be": words("blast part key reminder deal case game-changer"),
    "do": words("ok okay great well good fine best job"),
    "come to": words("life mind"),
    "be on": words("page edge"),
    "lend": words("hand"),
}
# What somebody thinks of it, not how it is.
_PRAISE = words(
    """amazing awesome great incredible cool stunning special rewarding inspiring fantastic wonderful lovely nice good
    bad terrible horrible awful gorgeous adorable cute unreal insane fun worth key super epic sweet breathtaking
    excellent fabulous heartwarming perfect best better worse worst alright ok okay fine sure true right much more
    enjoyable mesmerizing exciting thrilling magical refreshing uplifting motivating"""
)
# No topic either, however often it is said.
HOLLOW = EMPTY | ANYBODY | _PRAISE | words("difference blast impact effect chance luck progress tough hard")


def says_nothing(subject: str, predicate: str, obj: str, *, is_quality: bool) -> bool:
    """Tell whether a fact is empty. `is_quality`: the object is an adjective, not a name or a noun."""
    subject, obj = subject.lower(), obj.lower()
    if subject in EMPTY or subject in ANYBODY or obj in EMPTY:
        return True
    if is_quality and predicate.partition(" ")[0] in ("be", "become", "remain") and obj in _PRAISE:
        return True
    return obj.rpartition(" ")[2] in _PHRASES.get(predicate, ())
