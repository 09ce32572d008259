"""The exceptions that Brain raises on purpose. Their messages are shown to users and contain no secrets."""


class BrainError(Exception):
    """Base of all expected errors; the command line prints its message and exits with `exit_code`."""

    exit_code = 1


class InvalidUserError(BrainError, ValueError):
    """A user id that does not match `[a-z0-9-]{1,40}`."""

    exit_code = 2


class UnknownUserError(BrainError, LookupError):
    """A well-formed user id that this home has never seen."""

    exit_code = 3


class InvalidSettingsError(BrainError, ValueError):
    """A setting that does not exist or whose value is not allowed; the message names the key, never the value."""

    exit_code = 2


class InvalidQueryError(BrainError, ValueError):
    """A query or a query option that cannot be answered."""

    exit_code = 2


class BadInputError(BrainError, ValueError):
    """An item that cannot be read. The item goes to quarantine with this message as its reason.

    Raised for faulty input only, so it is never retried; any other exception counts as an internal failure
    and is retried a bounded number of times.
    """


class ModelMissingError(BrainError):
    """Weights that are missing on this machine or do not match their hash; the message names the command to run."""

    exit_code = 4


class ModelCallError(BrainError):
    """A remote model endpoint that refused, timed out or gave an invalid answer after all retries."""

    exit_code = 4


class NoAnswerError(ModelCallError):
    """A model that answered, but refused or gave nothing usable; retrying the same request is pointless."""


class RequestTooLongError(NoAnswerError):
    """A request that the endpoint rejects for its length or that of its answer; a part of it may be accepted."""


class BudgetExceededError(ModelCallError):
    """A request that was not sent because it might have cost more than the budget leaves."""


class DimensionMismatchError(BrainError, ValueError):
    """Vectors whose model or width differs from the model or width of the index."""


class StoreError(BrainError):
    """Derived data that is missing, damaged or of an older layout; the message names the partition to re-run."""


class NoSnapshotError(StoreError):
    """No snapshot has been computed for this user yet."""


class WriterBusyError(BrainError):
    """Another process held this user's writer lock for longer than the caller's timeout."""
