"""The tables of floating workers, in the database of Dagster's records.

brain_user_copy    the newest manifest of each user, and a version that counts the commits
brain_run_commit   which run committed which version: once for each run and user
brain_unused       contents that no newest manifest needs any more, and since when
"""

import sqlalchemy as sa

TABLES = sa.MetaData()
COPIES = sa.Table(
    "brain_user_copy",
    TABLES,
    sa.Column("user", sa.String(40), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("manifest", sa.String(64), nullable=False),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
)
COMMITS = sa.Table(
    "brain_run_commit",
    TABLES,
    sa.Column("run_id", sa.String(64), primary_key=True),
    sa.Column("user", sa.String(40), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
)
UNUSED = sa.Table(
    "brain_unused",
    TABLES,
    sa.Column("user", sa.String(40), primary_key=True),
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
)
