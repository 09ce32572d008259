"""The calendar of a home that has chosen none."""

from datetime import date

from brain_pipelines.orchestration.days.calendar import Calendar

DAYS = Calendar(date(2024, 1, 1))
