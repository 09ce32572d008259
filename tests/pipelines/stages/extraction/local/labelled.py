"""Our own sentences with the facts a careful reader takes from them. TUNED were looked at while writing the rules,
HELD_OUT and WILD were labelled before the rules were run on them and are never tuned on: they are for measuring.

A fact is "subject | predicate | object", with " | negated" or a modality after it where it is not a plain statement.
A sentence with a speaker is one turn of a conversation.
"""

from dataclasses import dataclass

Fact = tuple[str, str, str, str, str]  # subject, predicate, object, polarity, modality


@dataclass(frozen=True)
class Labelled:
    """A text, its facts, and who says it."""

    text: str
    facts: frozenset[Fact]
    speaker: str | None = None

    @property
    def shown(self) -> str:
        """The text as it stands in a document."""
        return f"{self.speaker}: {self.text}\n" if self.speaker else self.text


def _label(text: str, *facts: str, speaker: str | None = None) -> Labelled:
    return Labelled(text, frozenset(_fact(fact) for fact in facts), speaker)


def _fact(line: str) -> Fact:
    subject, predicate, obj, *marks = line.split(" | ")
    negated = "negated" in marks
    modality = next((mark for mark in marks if mark != "negated"), "asserted")
    return subject, predicate, obj, "negated" if negated else "affirmed", modality


TUNED = (
    _label(
        "Alice is leading the UI redesign project, which depends on the component library that Bob maintains.",
        "Alice | lead | UI redesign",
        "UI redesign | depend on | component library",
        "Bob | maintain | component library",
    ),
    _label("Bob does not own the billing service.", "Bob | own | billing service | negated"),
    _label("Carol never joined the platform team.", "Carol | join | platform team | negated"),
    _label("Nina no longer works at Acme.", "Nina | work at | Acme | negated"),
    _label("The search service was built by Ivan.", "Ivan | build | search service"),
    _label("The dashboard is maintained by the data team.", "data team | maintain | dashboard"),
    _label("Alice and Bob own the payment gateway.", "Alice | own | payment gateway", "Bob | own | payment gateway"),
    _label("The backend uses PostgreSQL and Redis.", "backend | use | PostgreSQL", "backend | use | Redis"),
    _label("The crawler uses Kafka but not RabbitMQ.", "crawler | use | Kafka", "crawler | use | RabbitMQ | negated"),
    _label(
        "Raj, who joined Acme in March, manages the mobile team.", "Raj | join | Acme", "Raj | manage | mobile team"
    ),
    _label("Maria might move to Japan.", "Maria | move to | Japan | possible"),
    _label("David should review the security audit.", "David | review | security audit | possible"),
    _label("Will Emma present the roadmap?", "Emma | present | roadmap | question"),
    _label("Did Oliver fix the login bug?", "Oliver | fix | login bug | question"),
    _label(
        "If Karen approves the budget, Liam will hire two engineers.",
        "Karen | approve | budget | conditional",
        "Liam | hire | engineers | conditional",
    ),
    _label("Bob said that Alice owns the API.", "Alice | own | API | reported"),
    _label("I think Sarah manages the design team.", "Sarah | manage | design team | possible"),
    _label("Dana, CEO of Acme, hired Paul.", "Dana | be CEO of | Acme", "Dana | hire | Paul"),
    _label("My manager, Greta, lives in Berlin.", "Greta | live in | Berlin"),
    _label("Alice is responsible for the release pipeline.", "Alice | be responsible for | release pipeline"),
    _label("Peter is the owner of the ingestion pipeline.", "Peter | be owner of | ingestion pipeline"),
    _label("Carol wants to learn Rust.", "Carol | learn | Rust | possible"),
    _label("Tom stopped using Jira.", "Tom | use | Jira | negated"),
    _label("The auth module is part of the identity platform.", "auth module | be part of | identity platform"),
    _label(
        "Laura works with Kevin on the pricing model.", "Laura | work with | Kevin", "Laura | work on | pricing model"
    ),
    _label(
        "Julia wrote the design doc and shared it with Marcus.",
        "Julia | write | design doc",
        "Julia | share | design doc",
        "Julia | share with | Marcus",
    ),
    _label("Hannah is from the Design team.", "Hannah | be from | Design team"),
    _label("The launch was moved to March.", "launch | be moved to | March"),
    _label("The spec is about vector search.", "spec | be about | vector search"),
    _label(
        "Neither Alice nor Bob owns the scheduler.",
        "Alice | own | scheduler | negated",
        "Bob | own | scheduler | negated",
    ),
    _label("Bob has no access to the staging cluster.", "Bob | have access to | staging cluster | negated"),
    _label("Anna met Victor. She hired him.", "Anna | meet | Victor", "Anna | hire | Victor"),
    _label("The service built by Nina depends on Redis.", "Nina | build | service", "service | depend on | Redis"),
    _label("According to Paul, the team uses Terraform.", "team | use | Terraform | reported"),
    _label("Perhaps Simon knows Teresa.", "Simon | know | Teresa | possible"),
    _label(
        "I live in Berlin and work at Siemens.",
        "Caroline | live in | Berlin",
        "Caroline | work at | Siemens",
        speaker="Caroline",
    ),
    _label(
        "My sister Anna works at Google.", "Anna | be sister of | Melanie", "Anna | work at | Google", speaker="Melanie"
    ),
    _label(
        "Alice, Bob, and Carol joined the review.",
        "Alice | join | review",
        "Bob | join | review",
        "Carol | join | review",
    ),
    _label("Bob wasn't hired by Acme.", "Acme | hire | Bob | negated"),
    _label("I don't think Alice owns the API.", "Alice | own | API | negated | possible"),
    _label("Bob failed to fix the bug.", "Bob | fix | bug | negated"),
    _label("Alice is married to Bob.", "Alice | be married to | Bob"),
    _label("I don't like coffee.", "Ethan | like | coffee | negated", speaker="Ethan"),
    _label("We use Figma for the mockups.", "Joanna | use | Figma", speaker="Joanna"),
    _label("I'm allergic to peanuts.", "Nate | be allergic to | peanuts", speaker="Nate"),
    _label("Can you check with Alice about the design review?", speaker="Rachel"),
    _label("I adopted a puppy last week!", "Andrew | adopt | puppy", speaker="Andrew"),
)

HELD_OUT = (
    _label("Frederick oversees the warehouse migration.", "Frederick | oversee | warehouse migration"),
    _label(
        "The reporting service, which Helen wrote, relies on Snowflake.",
        "Helen | write | reporting service",
        "reporting service | rely on | Snowflake",
    ),
    _label("Martin hasn't finished the onboarding guide.", "Martin | finish | onboarding guide | negated"),
    _label("The contract was signed by Deborah and Philip.", "Deborah | sign | contract", "Philip | sign | contract"),
    _label("Susan could join the research group.", "Susan | join | research group | possible"),
    _label("Does Gary still maintain the parser?", "Gary | maintain | parser | question"),
    _label("Unless Brian objects, Cynthia will deploy the patch.", "Cynthia | deploy | patch | conditional"),
    _label("Rebecca told me that Keith left Intel.", "Keith | leave | Intel | reported"),
    _label(
        "Angela, head of the legal department, drafted the policy.",
        "Angela | be head of | legal department",
        "Angela | draft | policy",
    ),
    _label("Walter moved from Boston to Seattle.", "Walter | move from | Boston", "Walter | move to | Seattle"),
    _label(
        "The iOS app and the web app share the session library.",
        "iOS app | share | session library",
        "web app | share | session library",
    ),
    _label(
        "Nobody owns the legacy importer.",
    ),
    _label("Diane believes the outage was caused by the load balancer.", "load balancer | cause | outage | possible"),
    _label("Harold is the author of the testing guide.", "Harold | be author of | testing guide"),
    _label("Pamela prefers tea and avoids sugar.", "Pamela | prefer | tea", "Pamela | avoid | sugar"),
    _label("Gerald introduced Monica to Arthur.", "Gerald | introduce | Monica", "Gerald | introduce to | Arthur"),
    _label(
        "The export job runs on Kubernetes and writes to S3.",
        "export job | run on | Kubernetes",
        "export job | write to | S3",
    ),
    _label(
        "Ruth and her brother Leonard run a bakery in Lisbon.",
        "Ruth | run | bakery",
        "Leonard | run | bakery",
        "Leonard | be brother of | Ruth",
    ),
    _label("Probably Joyce will lead the Berlin office.", "Joyce | lead | Berlin office | possible"),
    _label("Judy refused to sign the petition.", "Judy | sign | petition | negated"),
    _label(
        "I started learning Spanish with my friend Tina.",
        "Gina | learn | Spanish",
        "Tina | be friend of | Gina",
        "Gina | learn with | Tina",
        speaker="Gina",
    ),
    _label("I used to work at IBM, but I quit last year.", "Jon | work at | IBM", speaker="Jon"),
    _label(
        "My dad is a doctor and my mom teaches history.",
        "Maria's dad | be | doctor",
        "Maria's mom | teach | history",
        speaker="Maria",
    ),
    _label("We're planning a trip to Iceland in June.", "Deborah | plan | trip", speaker="Deborah"),
    _label("I wonder whether Calvin bought the guitar.", "Calvin | buy | guitar | question", speaker="Dave"),
)

# Longer and looser sentences, as people write them in notes and chats; labelled before the rules were run on them.
WILD = (
    _label(
        "Quick recap: Priya owns the onboarding flow now, since Tomás moved to the payments team.",
        "Priya | own | onboarding flow",
        "Tomás | move to | payments team",
    ),
    _label(
        "Talked to Wei this morning - he's still blocked by the schema migration, which nobody has picked up.",
        "schema migration | block | Wei",
    ),
    _label(
        "Grace Okafor, who used to run support at Zendesk, is joining us as head of operations in May.",
        "Grace Okafor | run | support",
        "Grace Okafor | join as | head of operations",
    ),
    _label(
        "The old importer, written by Hugo, still depends on Python 2 and should be retired.",
        "Hugo | write | importer",
        "importer | depend on | Python 2",
    ),
    _label(
        "Lena says the Oslo office won't renew its lease.",
        "Oslo office | renew | lease | negated | reported",
    ),
    _label(
        "Both Ahmed and Yuki have signed off on the privacy review.",
        "Ahmed | sign off on | privacy review",
        "Yuki | sign off on | privacy review",
    ),
    _label(
        "We decided that Mateo will take over the newsletter from Sofia.",
        "Mateo | take over | newsletter",
        "Mateo | take over from | Sofia",
    ),
    _label(
        "Turns out Farid doesn't report to Helena anymore.",
        "Farid | report to | Helena | negated",
    ),
    _label(
        "Marta's sister Inês is an architect in Porto.",
        "Inês | be sister of | Marta",
        "Inês | be | architect",
    ),
    _label(
        "The agenda covers hiring, the Q3 budget and the office move.",
        "agenda | cover | hiring",
        "agenda | cover | Q3 budget",
        "agenda | cover | office move",
    ),
    _label("Had lunch with Viktor; he bought a house near Lyon.", "Viktor | buy | house"),
    _label(
        "I'm thinking of switching from Notion to Obsidian, but my team uses Notion.",
        "Elena | switch from | Notion | possible",
        "Elena | switch to | Obsidian | possible",
        "Elena's team | use | Notion",
        speaker="Elena",
    ),
    _label(
        "My grandma taught me how to bake bread when I was ten.",
        "Omar's grandma | teach | Omar",
        "Omar | bake | bread",
        speaker="Omar",
    ),
    _label(
        "Just got back from Kyoto! Ate way too much ramen.",
        "Hana | get back from | Kyoto",
        "Hana | eat | ramen",
        speaker="Hana",
    ),
    _label(
        "I was born in Gdansk but grew up in Toronto, and I've never been to Asia.",
        "Piotr | be born in | Gdansk",
        "Piotr | grow up in | Toronto",
        "Piotr | be to | Asia | negated",
        speaker="Piotr",
    ),
    _label(
        "If it rains, Nadia and I will probably skip the hike.",
        "Nadia | skip | hike | conditional",
        "Leo | skip | hike | conditional",
        speaker="Leo",
    ),
    _label(
        "My dog Biscuit hates the vet, and so do I.",
        "Biscuit | hate | vet",
        "Zoe | hate | vet",
        speaker="Zoe",
    ),
    _label(
        "The vendor confirmed that the sensors ship in June and that the warranty covers water damage.",
        "sensors | ship in | June | reported",
        "warranty | cover | water damage | reported",
    ),
    _label(
        "Should Anders or Freya present the results to the board?",
        "Anders | present | results | question",
        "Freya | present | results | question",
        "Anders | present to | board | question",
        "Freya | present to | board | question",
    ),
    _label(
        "Karim, Li Na and Paulo are co-authors of the grant proposal.",
        "Karim | be co-author of | grant proposal",
        "Li Na | be co-author of | grant proposal",
        "Paulo | be co-author of | grant proposal",
    ),
)
