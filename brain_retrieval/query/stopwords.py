"""English words that carry a question but not its subject. Data only."""

# Function words: pronouns, articles, auxiliaries, prepositions, conjunctions, question words.
_FUNCTION = """
    a about after again against all am an and any are as at be been before being between both but by can could
    d did do does doing done during each for from had has have having he her here his him how i if in into is it
    its just ll m many may me might much must my no nor not of off on only or our over own re s same shall she
    should so some such t than that the their them then there these they this those through to too under us ve
    very was we were what when where which who whom whose why will with would you your
"""
# Words that ask for an answer rather than name its subject.
_ASKING = """
    answer concerning conversation describe discuss discussed discussion explain give group list meeting mention
    mentioned name question regarding said say says summarize tell talk talked talking think thinks thought
"""
STOP_WORDS = frozenset((_FUNCTION + _ASKING).split())
