"""Key frame selection: cut detection by colour and layout, one frame per scene, without near-duplicates.

The input is a single pass of sampled frames in order of time; memory does not grow with the length. No decoding here.

A cut is a jump of the colour histogram (Bhattacharyya distance of hue, saturation and value) or, after a still passage,
of the layout, which detects slides with the same colours. A fade, which jumps many times in a row, is one cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

WIDTH, HEIGHT = 96, 54  # of a sample that is compared
JUMP, CALM = 0.35, 0.15  # histogram distance at which a cut begins, and below which it ends
STILL = 0.004  # mean change of grey, 0..1, of a film that stands still
SHIFT = 0.006  # minimum change of layout for a new slide
STEPS = 4.0  # … and its minimum ratio to the change just before
MIN_SCENE_SECONDS = 1.0
MIN_FILL_SECONDS = 5.0  # between pictures of the same scene
HELD = 8  # frames kept of the current scene
BLANK = 0.02  # spread of grey, 0..1, below which a frame is blank
ALIKE = 0.01  # maximum share of differing cells in two frames that count as equal
CELL = 0.06  # change of grey that makes a cell different


@dataclass(frozen=True, eq=False)
class Look:
    """Features of a frame for comparison: a grey thumbnail (0..1) and a colour histogram."""

    grey: "np.ndarray"
    colours: "np.ndarray"

    @property
    def blank(self) -> bool:
        """Whether the frame is of a single colour."""
        return float(self.grey.std()) < BLANK


@dataclass(frozen=True, eq=False)
class Still:
    """A candidate for a key frame, with the caller's data for it."""

    seconds: float
    look: Look
    picture: Any


@dataclass(eq=False)
class Scene:
    """The time from one cut to the next, with at most HELD candidates spread about evenly over it."""

    start: float
    end: float
    stills: list[Still] = field(default_factory=list)
    step: float = 0.0

    def wants(self, seconds: float) -> bool:
        """Return whether a frame at that time would be kept."""
        return not self.stills or seconds - self.stills[-1].seconds >= self.step

    def add(self, still: Still) -> None:
        """Keep a frame; if there are too many, every other one is dropped."""
        self.stills.append(still)
        if len(self.stills) > HELD:
            self.stills = self.stills[::2]
            self.step = max(self.step * 2, 2 * (self.end - self.start) / HELD)

    def best(self) -> Still:
        """Return the frame nearest to the middle that is not blank, a blank one if there is no other."""
        middle = (self.start + self.end) / 2
        return min(self.stills, key=lambda still: (still.look.blank, abs(still.seconds - middle)))


def look_at(rgb: "np.ndarray") -> Look:
    """Return the features of a small picture: array height × width × 3, 8-bit RGB."""
    import cv2
    import numpy as np

    hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV)
    colours = cv2.calcHist([hsv], [0, 1, 2], None, [8, 4, 8], [0, 180, 0, 256, 0, 256])
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    return Look(grey, colours / max(1.0, float(colours.sum())))


class SceneFinder:
    """Splits samples, given in order of time, into scenes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._before: Look | None = None
        self._changes: list[float] = []
        self._jumping = False
        self.cuts: list[float] = []
        self.scenes: list[Scene] = []

    def see(self, seconds: float, look: Look) -> bool:
        """Process a sample and return whether its frame is to be kept; the caller then calls `hold`."""
        cut = self._before is not None and self._is_cut(look, self._before)
        self._before = look
        if not self.scenes or (cut and seconds - self.scenes[-1].start >= MIN_SCENE_SECONDS):
            self.scenes.append(Scene(seconds, seconds))
            self.cuts += [seconds] if len(self.scenes) > 1 or self.cuts else []
            self._forget()
        elif cut:
            self.scenes[-1].stills.clear()  # frames of the transition between two scenes
        self.scenes[-1].end = seconds
        return self.scenes[-1].wants(seconds)

    def hold(self, still: Still) -> None:
        """Keep a frame of the current scene."""
        self.scenes[-1].add(still)

    def _is_cut(self, look: Look, before: Look) -> bool:
        import cv2
        import numpy as np

        distance = cv2.compareHist(before.colours, look.colours, cv2.HISTCMP_BHATTACHARYYA)
        change = float(np.abs(look.grey - before.grey).mean())
        recent, self._changes = self._changes, [*self._changes[-2:], change]
        if self._jumping:  # hysteresis: a fade stays one cut until the histogram has settled
            self._jumping = distance >= CALM
            return False
        # Layout counts only after three still samples: in moving video it changes all the time.
        still = max(recent, default=0.0)
        slide = len(recent) == 3 and still < STILL and change > max(SHIFT, STEPS * still)
        self._jumping = distance >= JUMP
        return self._jumping or slide

    def _forget(self) -> None:
        """Drop the shortest of the finished scenes when there are more than can be chosen, to bound the memory."""
        finished = [scene for scene in self.scenes[:-1] if scene.stills]
        if len(finished) > 2 * self._most + 2:
            shortest = min(finished, key=lambda scene: scene.end - scene.start)
            self.scenes.remove(shortest)
        if len(self.scenes) > 1 and len(self.scenes[-2].stills) > 1:
            # Of a finished scene, only frames that `choose` may add between others are needed.
            self.scenes[-2].stills = thin(self.scenes[-2])


def thin(scene: Scene) -> list[Still]:
    """Return the best frame of a scene, and of a long scene those far enough from it to be chosen as well."""
    best = scene.best()
    return [s for s in scene.stills if s is best or abs(s.seconds - best.seconds) >= MIN_FILL_SECONDS]


def choose(scenes: Sequence[Scene], most: int) -> list[Still]:
    """Return at most `most` frames in order of time.

    First one of each scene, the longest scenes first; then, greedily, the frame farthest in time from those chosen.
    Blank frames and near-duplicates are excluded.
    """
    chosen: list[Still] = []
    seen = [scene for scene in scenes if scene.stills]
    for scene in sorted(seen, key=lambda scene: (scene.start - scene.end, scene.start)):
        if len(chosen) < most and _is_new(still := scene.best(), chosen):
            chosen.append(still)
    rest = [still for scene in seen for still in scene.stills]
    while chosen and len(chosen) < most:
        apart = {id(s): min(abs(s.seconds - c.seconds) for c in chosen) for s in rest}
        rest = [s for s in rest if apart[id(s)] >= MIN_FILL_SECONDS and _is_new(s, chosen)]
        if not rest:
            break
        chosen.append(max(rest, key=lambda s: apart[id(s)]))
    return sorted(chosen, key=lambda still: still.seconds)


def _is_new(still: Still, chosen: Sequence[Still]) -> bool:
    return not still.look.blank and not any(_near_duplicates(still.look, other.look) for other in chosen)


def _near_duplicates(one: Look, other: Look) -> bool:
    import cv2
    import numpy as np

    differing = float((np.abs(one.grey - other.grey) > CELL).mean())
    return differing < ALIKE and cv2.compareHist(one.colours, other.colours, cv2.HISTCMP_BHATTACHARYYA) < JUMP
