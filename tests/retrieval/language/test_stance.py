"""How far a sentence is vouched for: what others tell, in six languages, and who tells it at first hand."""

import pytest

from brain_retrieval.language.stance import affirmed_parts, modality_of, polarity_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Uncle Ned says the ferry stops in May."),
        ("en", "Bea said that the ferry stops in May."),
        ("en", "The harbour cafe is closing, the baker said."),
        ("en", "Bea told the baker that the ferry stops in May."),
        ("en", "Bea heard the ferry stops in May."),
        ("en", "Ned tells everybody the ferry stops in May."),
        ("en", "Bea thought the ferry leaves at six."),
        ("en", "I thought the ferry leaves at six."),
        ("en", "The Larssons say the ferry is sold."),
        ("en", "Ned says the ferry will stop in May."),
        ("es", "Dice Bea que el ferry para en mayo."),
        ("de", "Onkel Ned meint, die Fähre hört im Mai auf."),
        ("de", "Bea sagt, dass die Fähre im Mai aufhört."),
        ("es", "Bea dice que el ferry para en mayo."),
        ("fr", "Bea dit qu'Armand vend le bateau."),
        ("pt", "A Bea diz que o barco para em maio."),
        ("it", "Bea dice che il traghetto si ferma a maggio."),
    ],
)
def test_what_somebody_tells_is_reported(language: str, text: str) -> None:
    assert modality_of(text, language) == "reported"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Bea says she takes the bus now."),  # of herself
        ("en", "Bea says the ferry is late."),
        ("en", "Bea said yes to the boat."),
        ("en", "I said the ferry leaves at six."),
        ("en", "The doctor says the value is 64 now."),
        ("en", "The letter from the harbour office says that the berth costs 300."),
        ("en", "The pup weighs 9 kg, the vet says that's fine for his age."),
        ("de", "Die Ärztin sagt, der Wert ist jetzt 64."),
        ("es", "La médica dice que el valor es 64."),
        ("fr", "Le médecin dit que la valeur est à 64."),
        ("pt", "O médico diz que o valor está em 64."),
        ("it", "Il medico dice che il valore è 64."),
    ],
)
def test_what_one_knows_oneself_or_is_told_at_first_hand_is_asserted(language: str, text: str) -> None:
    assert modality_of(text, language) == "asserted"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The spare key moved to the shed, just in case."),
        ("de", "Der Kater wiegt 5,2 kg, so soll es bleiben."),
        ("es", "La llave está en el cobertizo, por si acaso."),
        ("fr", "La clé est dans la remise, juste au cas où."),
        ("pt", "A chave está no barracão, por via das dúvidas."),
        ("it", "La chiave è nel capanno, per ogni evenienza."),
    ],
)
def test_a_turn_of_phrase_sets_no_condition(language: str, text: str) -> None:
    assert modality_of(text, language) == "asserted"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I missed the train by almost three minutes."),
        ("en", "The boat cost almost 900 euros."),
        ("de", "Das Boot hat fast 900 Euro gekostet."),
        ("es", "El barco costó casi 900 euros."),
    ],
)
def test_a_round_number_leaves_a_sentence_sure(language: str, text: str) -> None:
    assert modality_of(text, language) == "asserted"


def test_what_was_still_to_come_then_is_asserted() -> None:
    assert modality_of("I was born in Widnes, the eldest of what would be three children.", "en") == "asserted"
    assert modality_of("We ask what would be best.", "en") == "possible"


def test_what_almost_happened_is_not_asserted() -> None:
    assert modality_of("I almost bought the boat.", "en") == "possible"


@pytest.mark.parametrize(
    ("language", "text", "modality"),
    [
        ("en", "Proposal by Bertrand to keep the backups for a year.", "possible"),
        ("en", "Bertrand's proposal was accepted: backups are kept for a year.", "asserted"),
        ("en", "Idea: split the rent with Sasha.", "possible"),
        ("en", "The backups follow the proposal of last year.", "asserted"),
        ("de", "Vorschlag vom Vorstand: Chorprobe samstags.", "possible"),
        ("de", "Der Vorschlag ist angenommen, Chorprobe ist samstags.", "asserted"),
        ("fr", "Proposition du syndic : charges à 260 euros.", "possible"),
        ("es", "Propuesta de Iker: reunirnos los lunes.", "possible"),
        ("it", "Proposta di Sandro: prove il lunedì.", "possible"),
        ("pt", "Sugestão da Vera: taxa de 500 reais.", "possible"),
    ],
)
def test_a_proposal_says_what_might_be(language: str, text: str, modality: str) -> None:
    assert modality_of(text, language) == modality


@pytest.mark.parametrize(
    ("language", "text", "parts"),
    [
        ("en", "The blood is not good enough, so it is a whole tablet now.", ["so it is a whole tablet now."]),
        ("de", "Die Werte sind nicht gut, jetzt eine ganze Tablette.", ["jetzt eine ganze tablette."]),
        ("en", "He does not take the tablet.", []),
    ],
)
def test_the_parts_of_a_sentence_that_deny_nothing(language: str, text: str, parts: list[str]) -> None:
    assert affirmed_parts(text, language) == parts


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Ask Bea whether the berth (300) includes the power."),
        ("en", "Ned asked whether the berth is still free."),
        ("de", "Bea fragen, ob der Liegeplatz mit Strom 300 kostet."),
        ("es", "Preguntar a Bea si el amarre de 300 incluye la luz."),
        ("fr", "Demander à Béa si la place à 300 comprend le courant."),
        ("it", "Chiedere a Bea se il posto a 300 comprende la corrente."),
        ("pt", "Perguntar à Bea se o lugar de 300 inclui a luz."),
    ],
)
def test_what_is_to_be_asked_is_not_asserted(language: str, text: str) -> None:
    assert modality_of(text, language) == "possible"


def test_whether_or_not_leaves_the_sentence_as_sure_as_it_is() -> None:
    assert modality_of("We sail on Sunday whether or not it rains.", "en") == "asserted"
    assert modality_of("Es sieht aus, als ob es regnet.", "de") == "asserted"


@pytest.mark.parametrize(
    ("language", "text", "polarity"),
    [
        ("en", "Everybody: the ferry is not sold.", "negated"),
        ("es", "Bea se rió: el ferry no para.", "negated"),
        ("en", "The boat lies behind No. 6.", "affirmed"),
        ("en", "340 a day or nothing.", "affirmed"),
    ],
)
def test_what_a_sentence_denies(language: str, text: str, polarity: str) -> None:
    assert polarity_of(text, language) == polarity


def test_what_a_person_intends_is_known_if_he_says_so() -> None:
    assert modality_of("Ned says he will sell the ferry.", "en") == "asserted"
    assert modality_of("Some wanted 16.", "en") == "possible"


@pytest.mark.parametrize(
    ("language", "text", "modality"),
    [
        ("de", "Wir haben ein Angebot der Werft.", "possible"),
        ("de", "Die Werft nimmt das Angebot an.", "asserted"),
        ("de", "Angebot über 900 Euro angenommen.", "asserted"),
        ("es", "La oferta del astillero ha sido aceptada.", "asserted"),
        ("fr", "Ida a accepté l'offre du chantier.", "asserted"),
        ("pt", "A Ida aceitou a proposta do estaleiro.", "asserted"),
        ("it", "Ida ha accettato l'offerta del cantiere.", "asserted"),
        ("it", "Abbiamo un'offerta del cantiere.", "possible"),
        ("en", "The yard offered Ida the night shift and she accepted.", "asserted"),
        ("en", "The yard offered Ida the night shift.", "possible"),
    ],
)
def test_an_offer_is_only_possible_until_it_is_taken_up(language: str, text: str, modality: str) -> None:
    assert modality_of(text, language) == modality


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Hoping for a berth at the north quay."),
        ("en", "Bea asked for a berth at the north quay."),
        ("en", "Ned is applying for the harbour office."),
        ("en", "They'd want 55 for the berth."),
        ("en", "Bea'd rather moor at the north quay."),
        ("de", "Wir hätten gern den Liegeplatz am Nordkai."),
        ("de", "Ein Platz am Nordkai käme auf 90."),
        ("es", "Bea preferiría el muelle norte."),
        ("fr", "La place au quai nord coûterait 90."),
        ("it", "Il posto al molo nord costerebbe 90."),
        ("pt", "A Bea gostaria de um lugar no cais norte, teriam de pedir."),
    ],
)
def test_what_is_wished_for_or_would_be_is_possible(language: str, text: str) -> None:
    assert modality_of(text, language) == "possible"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I'd booked the berth in May."),
        ("en", "She'd been at the north quay."),
        ("en", "Bea believes in ghosts."),
        ("de", "Wir denken, der Platz reicht."),
        ("fr", "Le portrait est au salon."),
    ],
)
def test_words_like_those_of_wishes_leave_what_is_asserted(language: str, text: str) -> None:
    assert modality_of(text, language) == "asserted"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "My aunt thinks the ferry is sold."),
        ("de", "Die Larssons meinen, die Fähre ist verkauft."),
        ("es", "Los vecinos creen que el ferry para en mayo."),
        ("fr", "Les voisins pensent que le bateau est vendu."),
        ("it", "I vicini pensano che il traghetto si ferma."),
        ("pt", "Os vizinhos acham que o barco para em maio."),
    ],
)
def test_what_several_people_think_is_reported(language: str, text: str) -> None:
    assert modality_of(text, language) == "reported"
