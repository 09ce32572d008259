"""Every error Brain raises on purpose. Messages are for the person who reads them; they hold no secrets."""


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

    Raised for faults of the input only, so it is never retried; any other exception counts as a failure
    of ours and is retried a bounded number of times.
    """


class ModelMissingError(BrainError):
    """Weights that are not on this machine (or do not match their hash); the message says which command gets them."""

    exit_code = 4


class ModelCallError(BrainError):
    """A remote model endpoint that refused, timed out or answered nonsense after all retries."""

    exit_code = 4


class NoAnswerError(ModelCallError):
    """A model that answered, but refused or gave nothing usable; asking the same again gives the same."""


class BudgetExceededError(ModelCallError):
    """A request that was not sent because it might have cost more than the budget leaves."""


class DimensionMismatchError(BrainError, ValueError):
    """Vectors whose model or width differs from those of the index they were meant for."""


class StoreError(BrainError):
    """Derived data that is missing, damaged or of an older shape; the message says which partition to re-run."""


class NoSnapshotError(StoreError):
    """Nothing has been worked out of this user's sources yet."""


class WriterBusyError(BrainError):
    """Another process has been writing this user's stores for longer than the caller wanted to wait."""
