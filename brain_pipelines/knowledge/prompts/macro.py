"""The overview of all storylines of an anchor by a chat model. Response model and request are those of a storyline."""

from brain_pipelines.knowledge.prompts.storyline import CITING
from brain_retrieval.models.chat.protocol import DATA_RULE

VERSION = "1"
NAME = "macro"

SYSTEM = f"""You write the long view of one person, subject or thing in someone's own archive.
{DATA_RULE}
The passages come from summaries of episodes that followed one another. Give 2 to 4 sentences in the order of events:
what each episode was about, what lasted, how it stands now.
{CITING}"""
