"""Key frames of a video: CPU seconds per minute compared with bare decoding, and how many known cuts are found.

    python benchmarks/video.py [--seconds 60] [--size 1280x720] [--repeat 3]

The video is generated: scenes of noise-like texture with a moving square, a pan, a fade and a slide change, cut at
known times. The floor is PyAV decoding every frame of the same file with one thread, in the same run.
"""

import argparse
import statistics
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

FPS = 25
TOLERANCE = 0.3  # seconds between a cut and where it is found
# Seconds and content; scenes are joined by hard cuts; the fade blends with the previous scene and is not a cut.
PLAN = (
    (8.0, "texture"),
    (1.5, "texture"),
    (7.0, "pan"),
    (10.0, "texture"),
    (3.0, "fade"),
    (9.5, "texture"),
    (6.0, "slide"),
    (6.0, "slide"),
    (9.0, "texture"),
)


def frames(width: int, height: int, seconds: float) -> "tuple[list[np.ndarray], list[float]]":
    """Return one RGB frame a step of the film, and the times of its hard cuts in seconds."""
    rng = np.random.default_rng(5)
    scale = seconds / sum(length for length, _ in PLAN)
    shown, cuts, last = [], [], None
    for length, kind in PLAN:
        count = round(length * scale * FPS)
        ground = rng.integers(20, 220, 3)
        grain = rng.integers(-20, 20, (height // 8, width // 4 // 8 * 5, 3)).repeat(8, 0).repeat(8, 1)
        base = np.clip(ground + grain, 0, 255).astype(np.uint8)
        if kind == "slide":
            base = np.full((height, width, 3), 245, np.uint8)
            for row in range(5):
                end = int(rng.integers(width // 3, width * 9 // 10))
                base[height // 8 * (row + 1) : height // 8 * (row + 1) + height // 30, width // 12 : end] = 30
        if kind != "fade" and shown:
            cuts.append(len(shown) / FPS)
        for n in range(count):
            left = n * 4 % max(1, base.shape[1] - width) if kind == "pan" else 0
            frame = base[:, left : left + width].copy()
            if kind == "fade" and last is not None:
                part = n / count
                frame = (last * (1 - part) + frame * part).astype(np.uint8)
            if kind == "texture":
                x = n * 5 % (width - 80)
                frame[height // 2 : height // 2 + 80, x : x + 80] = 255 - ground
            shown.append(frame)
        last = shown[-1]
    return shown, cuts


def write(path: Path, width: int, height: int, seconds: float) -> list[float]:
    """Write the film as H.264 and return the times of its cuts."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "23"}
        shown, cuts = frames(width, height, seconds)
        for n, pixels in enumerate(shown):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            frame.pts, frame.time_base = n, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return cuts


def decode_all(path: Path) -> int:
    """Decode every frame with one thread and return how many there are."""
    import av

    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        return sum(1 for _ in container.decode(video=0))


def main() -> None:
    from brain_pipelines.readers.video.video import read_file
    from brain_retrieval.settings import Limits

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    width, height = (int(side) for side in args.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
        path, scratch = Path(directory) / "film.mp4", Path(directory) / "scratch"
        scratch.mkdir()
        cuts = write(path, width, height, args.seconds)
        floor, ours = [], []
        read_file(path, Limits(), scratch)  # warm-up: do not measure imports
        for _ in range(args.repeat):
            began = time.process_time()
            count = decode_all(path)
            floor.append(time.process_time() - began)
            began = time.process_time()
            found = read_file(path, Limits(), scratch)
            ours.append(time.process_time() - began)
    minute = 60 / args.seconds
    bare, read = statistics.median(floor) * minute, statistics.median(ours) * minute
    seen = found.attributes["cuts"]
    hit = [cut for cut in cuts if any(abs(cut - other) <= TOLERANCE for other in seen)]
    extra = [other for other in seen if not any(abs(cut - other) <= TOLERANCE for cut in cuts)]
    print(f"{args.seconds:g} s of {width} × {height} at {FPS} fps, {count} frames, median of {args.repeat}\n")
    print("| | CPU s per minute of film | to the floor |\n|---|---|---|")
    print(f"| decoding every frame (PyAV, one thread) | {bare:.2f} | 1 |")
    print(f"| key frames, written as PNG and measured | {read:.2f} | {read / bare:.2f} |")
    print(f"\nhard cuts found {len(hit)} of {len(cuts)}, {len(extra)} more; {len(found.blocks)} key frames")
    print("cuts at", [round(cut, 1) for cut in cuts], "found at", seen)


if __name__ == "__main__":
    main()
