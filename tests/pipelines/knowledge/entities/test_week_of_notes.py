"""A week of short notes: what is shown as an entity is the name of something, and no common noun."""

from datetime import timedelta

import polars as pl

from brain_pipelines.knowledge.entities.resolve import resolve
from brain_pipelines.stages.extractions_local import extract_documents
from brain_retrieval.settings.knowledge import KnowledgeSettings, OwnerSettings
from tests.pipelines.stages.extraction.local.documents import WHEN, document

WEEK = """
Walked the dogs before work. The field behind the school is flooded again. Paid the rent and the water bill.
Dentist at 9:30, Dr. Adeyemi says the filling can wait. Picked up bread and oat milk on the way home.
Standup was short. Marta is blocked by the API keys, Jonas reviews the pull request. The launch moved to Thursday.
Reading notes: attention is a skill. Habits beat goals. See chapter 3 of Deep Work by Cal Newport.
Call with mum. Her knee is better. She wants to visit in May. Booked train tickets to Leeds.
Idea: a weekly review on Sundays. Use a timer. Keep the list short. Remember that energy matters more than time.
Made lentil soup with cumin, garlic and tomatoes. Needs more salt. Next time use red lentils.
The launch checklist: changelog, screenshots, blog post, support docs. Jonas owns the screenshots.
Zettelkasten: each note has one idea. Links matter more than folders. Obsidian is good enough, Notion was too slow.
Ran 5k in the rain with Tendai. New shoes hurt. He wants to sign up for the Leeds half marathon.
Meeting with the landlord about the boiler. He promised to send a plumber next week.
The plumber, Raghavan, called later.
The WiFi dropped three times during the demo. Restarted the router. Ordered a new cable.
Thoughts on user research: people say one thing and do another. UK participants were more polite.
Interview five more users.
Rent goes up by 4 percent in July. Wrote an email to the agency. The contract ends in October.
Garden: planted lavender and thyme. Slugs ate the lettuce. The compost bin is full. Lavender likes sun.
Launch day! Everything worked except the payment page. Marta fixed the bug in an hour. Drinks with the team.
Listened to Fallen Leaves three times. Fallen Leaves is a lovely track. The bass line is great.
Covid test was negative. Headache and a sore throat. Slept twelve hours. Drank ginger tea.
Dogs barked all night. Neighbour complained. Talked to Mrs Okafor, she was kind about it.
Project plan: scope, budget, timeline, risks. Budget is tight. Risks: hiring, hosting costs. Ask Wei about hosting.
Bought a birthday present for Ines. Party on Saturday. Bring cake, candles and paper plates.
Meditation 10 minutes. Mind wandered. Breath is an anchor. Gratitude: sunshine, coffee, a good chat with Tendai.
Tax return: income, expenses, receipts. Deadline is 31 January. Accountant is Hannelore Brandt.
Field trip with the kids to the Science Museum. Field was muddy. Lunch was sandwiches and apples.
"""
PEOPLE = {"Marta", "Jonas", "Tendai", "Wei", "Raghavan", "Hannelore Brandt", "Cal Newport", "Ines", "Okafor", "Adeyemi"}
NAMED = {"Leeds", "Obsidian", "Notion", "UK", "Science Museum", "Fallen Leaves", "user"}
DOUBTFUL = {"Meditation 10 minutes", "chapter 3 of Deep Work"}  # names by their form, though of little use


def test_a_week_of_notes_shows_names_only() -> None:
    lines = WEEK.strip().splitlines()
    times = [WHEN + timedelta(hours=7 * n) for n in range(len(lines))]
    documents = [
        document(line, source_id=f"s{n}", source="note", event_at=at, received_at=at)
        for n, (line, at) in enumerate(zip(lines, times, strict=True))
    ]
    rows = [row for found in extract_documents(documents) for row in found.entities]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    found = resolve(frame, user="dana", owner=OwnerSettings(), settings=KnowledgeSettings())
    known = dict(found.known_entities.select("name", "type").iter_rows())
    assert set(known) <= PEOPLE | NAMED | DOUBTFUL
    assert {name for name, kind in known.items() if kind == "Person"} >= PEOPLE
    assert found.topics.height > len(known)
