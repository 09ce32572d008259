"""Fault-tolerant decoding of audio and video streams, packet by packet. Runs in the sandbox's child."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from av.container import InputContainer

MAX_FAULTS = 500  # packets in a row that cannot be decoded


def decoded_frames(container: "InputContainer", stream: Any, repairs: list[str], what: str) -> Iterator[list[Any]]:
    """Yield the frames of a stream; packets that cannot be decoded are skipped, and their number becomes a repair.

    Args:
        container: open for reading.
        stream: one of its audio or video streams.
        repairs: list to which a remark is appended if packets were skipped.
        what: "recording" or "video", for the remark.
    """
    from av.error import FFmpegError

    faults, in_a_row = 0, 0
    packets = container.demux(stream)
    while in_a_row < MAX_FAULTS:
        try:
            packet = next(packets, None)
            if packet is None:
                break
            frames = packet.decode()
        except FFmpegError:
            faults, in_a_row = faults + 1, in_a_row + 1
            continue
        in_a_row = 0 if frames else in_a_row
        yield frames
    if faults:
        repairs.append(f"{faults} damaged {'piece' if faults == 1 else 'pieces'} of the {what} left out")
