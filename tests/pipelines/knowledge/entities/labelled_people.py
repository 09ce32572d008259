"""A synthetic labelled history for entity resolution: the names in each source and the entity each one means.

A line is one source. `name [alias; alias] T=key`: T is the first letter of the type (J a project), key the truth.
Thresholds were tuned on HALVES[0]; HALVES[1] is held out, written before the tuning and used for measuring only.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

TYPES = {
    "P": "Person",
    "O": "Organization",
    "J": "Project",
    "C": "Concept",
    "L": "Location",
    "E": "Event",
    "D": "Document",
    "T": "Tool",
}

TUNED = """
user P=me | Alice Chen [Alice] P=alice | Bob Martinez [Bob] P=bob | UI redesign J=ui | Acme Inc. O=acme
Alice P=alice | component library J=lib | Priya P=priya | UI Redesign J=ui
A. Chen P=alice | Acme O=acme | Q3 roadmap D=q3 | user P=me
alice.chen@acme.com C=alice | bob.martinez@acme.com C=bob | Lisbon L=lisbon | Design Summit E=summit
Priya Raman [Priya] P=priya | ACME Corporation O=acme | Kafka T=kafka | Phoenix 2 J=phoenix2
Bob P=bob | Phoenix 3 J=phoenix3 | Acme O=acme | Kafka C=kafka
Robert Martinez P=bob | Grace Okafor P=grace | component library J=lib | Phoenix 2 J=phoenix2
Grace P=grace | Alice Chen P=alice | Café Lumière L=lumiere | Lisbon L=lisbon
Cafe Lumiere L=lumiere | user P=me | Tom Becker [Tom] P=tomb | running club O=club
Tom Becker P=tomb | running club O=club | half marathon E=half
Tom P=tomb | half marathon E=half | running club O=club | user P=me
Thomas Nguyen P=tomn | World Health Organization O=who | malaria C=malaria
Tom Nguyen [Tom] P=tomn | WHO O=who | malaria C=malaria | vaccines C=vaccines
Tom P=tomn | WHO O=who | vaccine C=vaccines
Mr. Nguyen P=tomn | malaria study J=malstudy | World Health Organization O=who
Anna Schmidt P=annas | Berlin L=berlin | Müller GmbH O=muller
Anne Schmidt P=annes | Berlin L=berlin | choir O=choir
Anna Schmidt P=annas | Mueller O=muller | invoice 118 D=inv118
Anne Schmidt P=annes | choir O=choir | invoice 119 D=inv119
Jose Garcia P=jose | Madrid L=madrid | front-end C=frontend
José García P=jose | frontend C=frontend | React T=react
J. Garcia P=jose | React T=react | front end C=frontend
Kubernetes T=k8s | Helm T=helm | Grace Okafor P=grace | Acme O=acme
Kubernets T=k8s | Helm T=helm | migration plan D=migplan
Kubernetes T=k8s | Migration Plan D=migplan | Priya Raman P=priya
Kubernetes T=k8s | Kafka T=kafka | user P=me
Michael Brown P=mike | Northwind Traders O=northwind | pricing C=pricing
Mike Brown P=mike | Northwind O=northwind2 | pricing C=pricing
Michael Browne P=browne | Harvard University O=harvard | medieval history C=history
Michael Browne P=browne | Harvard University O=harvard | medieval manuscripts C=manus
Chen Wei P=wei | Shanghai L=shanghai | Acme O=acme
Wei Chen P=wei | Shanghai L=shanghai | supplier audit E=audit
Mr Chen P=wei | Shanghai L=shanghai | supplier audit E=audit
Alice Walker P=walker | The Color Purple D=purple | book club O=bookclub
The Color Purple D=purple | book club O=bookclub | Walker P=walker
Alice P=alice | Bob P=bob | UI redesign project J=ui
Alice P=walker | book club O=bookclub | The Color Purple D=purple
Jordan Lee P=jordan | Amman L=amman | Jordan L=jordanland
Jordan L=jordanland | Amman L=amman | Petra L=petra
Jordan P=jordan | Jordan Lee P=jordan | standup E=standup
Dr. Elena Petrova P=elena | St. Mary's Hospital O=stmary | knee surgery E=knee
Elena Petrova P=elena | knee surgery E=knee | user P=me
Dr. Petrova P=elena | St Mary's Hospital O=stmary | physiotherapy C=physio
Елена Петрова P=elena2 | Москва L=moskva
Елена P=elena2 | Москва L=moskva
International Business Machines O=ibm | mainframe C=mainframe | David Kim Jr. P=davidjr
IBM O=ibm | mainframes C=mainframe | David Kim Sr. P=davidsr
David Kim Jr P=davidjr | IBM O=ibm | golf C=golf
Sarah O'Neil P=sarah | Atlas J=atlas | atlas C=atlas
Sarah O’Neil P=sarah | Project Atlas J=atlas | Q3 Roadmap D=q3
soneil@acme.com C=sarah | Atlas J=atlas | Q4 roadmap D=q4
info@acme.com C=infobox | Sarah P=sarah | Atlas project J=atlas
Katherine Wu P=kath | Lisbon L=lisbon | Design Summit E=summit
Kate Wu P=kath | Design Summit E=summit | Portugal L=portugal
Katherine Wu P=kath | Katie Wu P=katie | family dinner E=dinner
Maria Lopez Garcia P=maria | Madrid L=madrid | flamenco C=flamenco
Maria Lopez P=maria | flamenco C=flamenco
C++ T=cpp | C# T=csharp | C T=c | Node.js T=node
C++ T=cpp | NodeJS T=node | report_v2.pdf D=rep2 | report_v3.pdf D=rep3
"""

HELD_OUT = """
user P=me | Daniel Osei [Daniel; Dan] P=daniel | Ines Ferreira [Ines] P=ines | Harbor J=harbor | Lumen Labs Ltd O=lumen
Daniel P=daniel | Harbor J=harbor | search ranking C=ranking
Dan Osei P=daniel | Project Harbor J=harbor | Lumen Labs O=lumen
daniel.osei@lumenlabs.io C=daniel | Ines P=ines | Harbor J=harbor
D. Osei P=daniel | Search Ranking C=ranking | Lumen Labs O=lumen | user P=me
Inês Ferreira P=ines | Porto L=porto | onboarding flow J=onboard
Ines P=ines | Porto L=porto | onboarding flow J=onboard
iferreira@lumenlabs.io C=ines | onboarding flow J=onboard | Sprint 14 E=sp14
Sprint 15 E=sp15 | Ines Ferreira P=ines | Harbor J=harbor
Samuel Wright P=sam | Lumen Labs O=lumen | data warehouse C=dwh
Sam Wright [Sam] P=sam | data warehouse C=dwh | Snowflake T=snow
Sam P=sam | Snowflake T=snow | data warehouse C=dwh | user P=me
Samantha Ortiz [Sam] P=samo | pottery class E=pottery | Clay Studio O=clay
Samantha Ortiz P=samo | Clay Studio O=clay | glaze C=glaze
Sam P=samo | pottery class E=pottery | Clay Studio O=clay
Sam P=sam | Snowflake T=snow | Lumen Labs O=lumen
European Space Agency O=esa | Ariane 5 T=ar5 | Ariane 6 T=ar6
ESA O=esa | Ariane 6 T=ar6 | launch window C=window
ESA O=esa | launch windows C=window | Ariane 5 T=ar5
Zürich L=zurich | Universität Zürich O=uzh | Lukas Meier P=lukas
Zurich L=zurich | Lukas Meyer P=lukasmeyer | chess club O=chess
Lukas Meier P=lukas | Universität Zürich O=uzh | thesis D=thesis
Lukas P=lukas | thesis D=thesis | Universität Zürich O=uzh
Lukas Meyer P=lukasmeyer | chess club O=chess | Zuerich L=zurich
Elasticsearch T=es | Daniel Osei P=daniel | search ranking C=ranking
Elastic Search T=es | Harbor J=harbor | reindexing C=reindex
Elasticserch T=es | re-indexing C=reindex | Lumen Labs O=lumen
Elasticsearch T=es | Kibana T=kibana | user P=me
Elasticsearch T=es | Kibana T=kibana | Samuel Wright P=sam
Paris Jackson P=paris | vinyl C=vinyl | record store O=store
Paris L=parisfr | Louvre L=louvre | Ines Ferreira P=ines
Paris L=parisfr | Eiffel Tower L=eiffel
Paris P=paris | record store O=store | vinyl C=vinyl
Ms. Novak P=novak | parent evening E=parents | Oakwood School O=oak
Petra Novak P=novak | Oakwood School O=oak | parent evening E=parents
Mr. Novak P=mrnovak | Milan Novak P=mrnovak | garage O=garage
Oakwood Schools O=oak | parents evening E=parents2 | Petra P=novak
Zhang Min P=min | Shenzhen L=shenzhen | sensor board T=sensor
Min Zhang P=min | Shenzhen L=shenzhen | sensor boards T=sensor
王伟 P=wangwei | 深圳 L=sz
王伟 P=wangwei | 王芳 P=wangfang | 深圳 L=sz
William Carter P=bill | pension fund O=pension | golf C=golf
Bill Carter P=bill | pension fund O=pension
Will Carter P=will | guitar lessons E=guitar | William Carter P=bill
Oliver Hansen P=hansen | Bergen L=bergen | ferry T=ferry
Oliver Hanson P=hanson | Boston L=boston | insurance C=ins
Oliver Hansen P=hansen | Bergen L=bergen | fjord L=fjord
Oliver Hanson P=hanson | insurance C=ins | policy 4471 D=p4471
policy 4472 D=p4472 | Oliver Hanson P=hanson | insurance C=ins
Ruth Abebe P=ruth | Addis Coffee PLC O=addis | Addis Ababa L=addisab
Ruth P=ruth | Addis Coffee O=addis | tasting notes D=notes
Ruth Abebe P=ruth | addis coffee O=addis | Tasting Notes D=notes
R. Abebe P=ruth | tasting notes D=notes
ruth@addiscoffee.et C=ruth | Addis Coffee O=addis | Ruth Abebe P=ruth
noreply@addiscoffee.et C=norep | order 88 D=o88
Mercury T=mercury | Postgres T=pg | Samuel Wright P=sam
Mercury J=mercuryp | Postgres T=pg | Sam Wright P=sam
PostgreSQL [Postgres] T=pg | data warehouse C=dwh
Apex Systems O=apexs | Apex Partners O=apexp | due diligence C=dd
Apex Partners LLP O=apexp | due diligence C=dd | term sheet D=term
Victoria P=vic | Victoria Hughes P=vic | Vicky Hughes P=vicky
Victoria L=victoria | Melbourne L=melb
version 1.2 D=v12 | version 1.20 D=v120 | release notes D=rel
Release Notes D=rel | Version 1.2 D=v12 | Harbor J=harbor
"""

HALVES = (TUNED, HELD_OUT)
_ITEM = re.compile(r"^(?P<name>.+?)(?: \[(?P<aliases>[^\]]+)\])? (?P<type>[A-Z])=(?P<key>\w+)$")
_START = datetime(2024, 1, 8, 9, tzinfo=UTC)


def labelled(half: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield rows of ENTITIES with the columns that resolution reads, each with the key of its true entity."""
    for number, line in enumerate(half.strip().splitlines()):
        for place, item in enumerate(line.split(" | ")):
            found = _ITEM.match(item)
            assert found, item
            at = _START + timedelta(days=number)
            yield (
                {
                    "entity_id": f"member_{number:03}_{place}",
                    "source_id": f"src_{number:03}",
                    "source": "note",
                    "event_at": at,
                    "received_at": at + timedelta(hours=1),
                    "name": found["name"],
                    "type": TYPES[found["type"]],
                    "aliases": (found["aliases"] or "").split("; ") if found["aliases"] else [],
                    "mention_count": 1,
                    "confidence": 0.95 if " " in found["name"] else 0.85,
                },
                found["key"],
            )
