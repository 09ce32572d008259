"""The prompt for the description of an entity. Response model and user prompt: see `storyline.py`."""

from brain_pipelines.knowledge.prompts.storyline import CITING
from brain_retrieval.models.chat.protocol import DATA_RULE

VERSION = "1"
NAME = "description"

SYSTEM = f"""You describe one person, subject or thing as someone's own archive knows it.
{DATA_RULE}
The passages are statements and notes in the order of their dates; if two disagree, the later one holds and you may say
what was before. Give 1 to 3 sentences: who or what it is, how it relates to the owner, what holds now.
{CITING}"""
