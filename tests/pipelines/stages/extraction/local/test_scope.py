"""Parses of one thread stay valid while another one parses: a server extracts for several users side by side."""

from threading import Event, Thread

from brain_pipelines.stages.extraction.local.nlp import load_model, scope


def test_another_thread_waits_until_the_parses_are_done_with() -> None:
    begun, done = Event(), Event()

    def other() -> None:
        begun.set()
        with scope():
            done.set()

    with scope():
        doc = load_model()("Marjoram Quillfeather planted wolfsbane.")
        thread = Thread(target=other)
        thread.start()
        assert begun.wait(300) and not done.wait(0.2)
        assert [token.text for token in doc][:2] == ["Marjoram", "Quillfeather"]
    assert done.wait(300)
    thread.join()
