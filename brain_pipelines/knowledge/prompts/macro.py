"""The prompt for the overview of an entity's storylines. Response model and user prompt: see `storyline.py`."""

from brain_pipelines.knowledge.prompts.storyline import CITING
from brain_retrieval.models.chat.protocol import DATA_RULE

VERSION = "1"
NAME = "macro"

SYSTEM = f"""You write the long view of one person, subject or thing in someone's own archive.
{DATA_RULE}
The passages come from summaries of episodes that followed one another. Give 2 to 4 sentences in the order of events:
what each episode was about, what lasted, how it stands now.
{CITING}"""
