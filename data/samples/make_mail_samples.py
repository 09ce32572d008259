"""Writes the samples of e-mail that carry an attachment: a thread of three about the second usability test.

.venv/bin/python data/samples/make_mail_samples.py
"""

from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from fpdf import FPDF

SAMPLES = Path(__file__).parent
ALICE, PRIYA = "Alice Chen <alice@northwind.example>", "Priya Nair <priya@northwind.example>"
DANIEL = "Daniel Weber <daniel@northwind.example>"
SUBJECT = "Usability test, round two"
FIRST = """Hi Alice,

I booked the lab in Rua do Ouro for Wednesday, 18 February. Six participants have confirmed; two of them use a
screen reader. The plan is attached. Task 3 is new: people shall change the team's time zone with the keyboard only.

Do we need a second moderator?

Best regards,
Priya

--\x20
Priya Nair
Product designer, Northwind Labs
+351 21 555 01 42
"""
SECOND = """Yes. Mei Tanaka can moderate the two sessions with a screen reader, I asked her this morning.

Daniel, the lab costs 1,450 euros more than the budget says. Can you approve it by Friday?

Alice

On Wed, Feb 4, 2026 at 10:12 AM Priya Nair <priya@northwind.example> wrote:
> Hi Alice,
>
> I booked the lab in Rua do Ouro for Wednesday, 18 February. Six participants have confirmed; two of them use a
> screen reader.
"""
THIRD = """<html><body><div>Approved: 1,450 euros from the reserve of the UI redesign. Please send me the summary
by 20 February.</div><div><br></div><div>Daniel</div>
<div class="gmail_quote"><div>On Wed, Feb 4, 2026 at 3:40 PM Alice Chen &lt;alice@northwind.example&gt; wrote:</div>
<blockquote class="gmail_quote">Yes. Mei Tanaka can moderate the two sessions with a screen reader.</blockquote></div>
</body></html>
"""


def plan() -> bytes:
    """Return a PDF of one page: the plan of the test."""
    pdf = FPDF(format="A4")
    pdf.set_title("Plan of the usability test, round two")
    pdf.set_author("Priya Nair")
    pdf.set_creation_date(datetime(2026, 2, 4, 9, tzinfo=UTC))
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    for text in (
        "Plan of the usability test, round two. 18 February 2026, lab in Rua do Ouro, Lisbon.",
        "Task 1. Find the settings of the team.",
        "Task 2. Invite a colleague and withdraw the invitation.",
        "Task 3. Change the team's time zone with the keyboard only; it depends on the fix of bug 318.",
        "Success: five of six participants finish each task within two minutes.",
    ):
        pdf.multi_cell(0, 7, text, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


def mail(sender: str, to: str, at: datetime, identity: str, before: list[str]) -> EmailMessage:
    """Return a message of the thread with its headers."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = sender, to
    message["Subject"] = f"Re: {SUBJECT}" if before else SUBJECT
    message["Date"] = at
    message["Message-ID"] = f"<{identity}@northwind.example>"
    if before:
        message["In-Reply-To"] = f"<{before[-1]}@northwind.example>"
        message["References"] = " ".join(f"<{one}@northwind.example>" for one in before)
    return message


def main() -> None:
    """Write the three mails in place."""
    folder = SAMPLES / "alice/email"
    folder.mkdir(parents=True, exist_ok=True)
    first = mail(PRIYA, ALICE, datetime(2026, 2, 4, 10, 12, tzinfo=UTC), "lab-1", [])
    first.set_content(FIRST)
    first.add_attachment(plan(), maintype="application", subtype="pdf", filename="test plan round two.pdf")
    first.set_boundary("=_thread_lab_1")
    second = mail(ALICE, PRIYA, datetime(2026, 2, 4, 15, 40, tzinfo=UTC), "lab-2", ["lab-1"])
    second["Cc"] = DANIEL
    second.set_content(SECOND)
    third = mail(DANIEL, f"{ALICE}, {PRIYA}", datetime(2026, 2, 6, 8, 5, tzinfo=UTC), "lab-3", ["lab-1", "lab-2"])
    third.set_content(THIRD, subtype="html")
    for message, name in (
        (first, "2026-02-04-lab"),
        (second, "2026-02-04-lab-reply"),
        (third, "2026-02-06-lab-approved"),
    ):
        (folder / f"{name}.eml").write_bytes(message.as_bytes())


if __name__ == "__main__":
    main()
