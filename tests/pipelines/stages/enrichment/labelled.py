"""Short texts of our own with the bucket a person would choose and the words a person would search for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Labelled:
    """`keywords` are found if a keyword holds them, whatever the case; `summary` must stand in the summary."""

    text: str
    bucket: str
    keywords: tuple[str, ...]
    tag: str
    summary: str = ""
    language: str = "en"


_P, _C, _J, _U = "PERSONAL_LIFE", "CREATOR", "PROJECTS", "UNSORTED"

TEXTS = (
    Labelled(
        "Saw Dr. Okafor at the clinic this morning. The blood test shows low vitamin D, so she prescribed drops for "
        "three months. Next appointment is on 4 May. I should sleep more and cut down on coffee.",
        _P, ("Okafor", "blood test", "vitamin"), "health", "blood test",
    ),
    Labelled(
        "Mum turns seventy in June. My sister wants a big family party in the garden, my brother would rather take "
        "her to the seaside for a weekend. We agreed on the garden and I bake the cake.",
        _P, ("garden", "sister"), "relationships", "garden",
    ),
    Labelled(
        "The mortgage offer of the bank came: 3.4 percent fixed for ten years. With our savings the monthly rate is "
        "1,280 euros. Insurance is extra. I compare it with two other loans before signing.",
        _P, ("mortgage", "savings", "insurance"), "finance", "3.4 percent",
    ),
    Labelled(
        "Flight to Porto on 12 April at 7:40, hotel near the river for three nights. The train back goes via Madrid. "
        "Passport renewed, luggage only one bag.",
        _P, ("Porto", "hotel", "Madrid"), "travel", "Porto",
    ),
    Labelled(
        "Grandma's recipe for plum cake: 300 g flour, 150 g butter, a kilo of plums. Bake at 180 degrees for forty "
        "minutes. The kids loved it at dinner.",
        _P, ("plum cake", "flour", "butter"), "food", "plum cake",
    ),
    Labelled(
        "The landlord finally answered. The lease of the apartment ends in September, the kitchen stays, the heating "
        "will be repaired before we move in.",
        _P, ("landlord", "lease", "heating"), "home", "lease",
    ),
    Labelled(
        "Felt lonely after the call with my partner. I write this diary to see what happens with my anxiety when I "
        "sleep badly. Today: headache, five hours of sleep, a run in the evening helped.",
        _P, ("anxiety", "headache"), "health",
    ),
    Labelled(
        "The query plan shows a full scan because the index on the events table is not used. After the refactoring "
        "of the repository class the latency of the endpoint fell from 900 to 40 ms. Unit tests are green.",
        _C, ("query plan", "endpoint", "latency"), "code", "latency",
    ),
    Labelled(
        "Moved the parser to Rust. The Python binding compiles, but two tests fail: an exception in the tokenizer "
        "for empty input and a race in the cache. Will debug the cache first.",
        _C, ("parser", "tokenizer", "cache"), "code", "Rust",
    ),
    Labelled(
        "The new icons are too thin on dark backgrounds. I tried three palettes in Figma; the warm one has enough "
        "contrast for accessibility. Typography stays, the layout of the settings page gets a second column.",
        _C, ("icons", "Figma", "Typography"), "design", "contrast",
    ),
    Labelled(
        "We interviewed eleven participants about note taking. The main finding: nobody files notes, everybody "
        "searches. The dataset and the survey are in the folder; the paper is due when the evaluation is done.",
        _C, ("participants", "finding", "dataset"), "research", "nobody files notes",
    ),
    Labelled(
        "Third draft of the essay on maps. The opening chapter is too long, the story of the cartographer should "
        "come first. My editor suggests a shorter outline before I publish it on the blog.",
        _C, ("essay", "cartographer", "outline"), "writing", "essay",
    ),
    Labelled(
        "Learned two new chords on the guitar and wrote the melody for the second song. We rehearse with the band on "
        "Thursday; the album needs four more songs.",
        _C, ("guitar", "melody", "album"), "music", "song",
    ),
    Labelled(
        "Wireframes for the booking page: date picker on top, price below, one button. The usability test on Monday "
        "showed that people miss the button. Mockup two moves it up.",
        _C, ("usability test", "booking page", "date picker"), "design", "button",
    ),
    Labelled(
        "Kickoff of project Heron: scope agreed, milestone one is the data import by 20 March, launch in June. "
        "Stakeholders are sales and support. Carla prepares the roadmap for the steering meeting.",
        _J, ("Heron", "milestone", "roadmap"), "project", "Heron",
    ),
    Labelled(
        "Minutes of the weekly meeting. Attendees: Ana, Luis, Tom. Decision: the release moves to 9 May because two "
        "dependencies are late. Action items: Luis updates the backlog, Tom informs the customers.",
        _J, ("release", "dependencies", "backlog"), "meeting", "9 May",
    ),
    Labelled(
        "The budget for the second quarter is 40,000 euros below the forecast. We cut the agency and delay the hiring "
        "of the second candidate until the project has its milestone.",
        _J, ("budget", "forecast", "candidate"), "budget", "budget",
    ),
    Labelled(
        "Acme signed the renewal of their contract. The client wants a demo of the export before onboarding starts; "
        "pricing stays. Sales sends the proposal on Friday.",
        _J, ("Acme", "renewal", "proposal"), "customers", "renewal",
    ),
    Labelled(
        "Sprint planning: twelve tickets, two blockers. The rollout to the first customers depends on the backlog of "
        "the platform team. Deadline is the 18th, the stakeholders get an update on Tuesday.",
        _J, ("Sprint planning", "blockers", "rollout"), "project", "rollout",
    ),
    Labelled(
        "Hiring: three candidates for the team, the manager prefers the second. Standup moves to ten o'clock so that "
        "the colleagues in Lima can join. Retro on Friday with an agenda by Petra.",
        _J, ("candidates", "Standup", "Retro"), "team", "candidates",
    ),
    Labelled("The wifi is called Sunflower-5G, the bins go out every second Tuesday.", _U, ("Sunflower",), "general"),
    Labelled("ok thanks, see you there!", _U, (), "positive"),
    Labelled(
        "Beim Arzt gewesen: Blutdruck zu hoch, weniger Salz, mehr Bewegung. Die Familie fährt im Urlaub an die Ostsee, "
        "Mutter kommt mit.",
        _P, ("Blutdruck", "Urlaub", "Ostsee"), "health", "Blutdruck", "de",
    ),
    Labelled(
        "Reunión del proyecto Faro: el cliente aprueba el presupuesto y el lanzamiento pasa al 3 de junio. Marta "
        "prepara el plan para los clientes nuevos.",
        _J, ("Faro", "presupuesto", "lanzamiento"), "meeting", "presupuesto", "es",
    ),
    Labelled(
        "Réunion du projet Phare : le budget est validé, le lancement du site est déplacé au 3 juin. Claire prépare "
        "le planning pour le client.",
        _J, ("Phare", "lancement", "budget"), "meeting", "lancement", "fr",
    ),
)  # fmt: skip
