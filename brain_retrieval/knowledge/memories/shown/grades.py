"""How useful a memory is to its owner: two grades, of which the second is part of the first."""

ASKED: str = "asked"  # one may well ask for it later: a visit, who reported the broken drain
LASTING: str = "lasting"  # worth knowing without being asked: a new job, a price that was agreed, who chairs the board
GRADES: tuple[str, ...] = (ASKED, LASTING)
