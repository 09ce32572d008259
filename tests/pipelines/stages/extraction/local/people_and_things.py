"""Sentences of mails, chats and notes with names of people from thirteen countries, and of things that are no people.

`[name|P]` is a person, `[name|-]` is not. Rules were tuned on the TUNED half; HELD_OUT was written before the tuning
and is used for measuring only.
"""

import re
from dataclasses import dataclass

TUNED_PEOPLE = """
# Nigeria
Hi all, [Chiamaka Nwosu|P] will join the call from Lagos at ten.
I met [Babajide|P] at the co-op yesterday and he said the seedlings are ready.
[Ngozi Eze|P] sent the minutes, please check the second page.
Lunch with [Tobenna|P] on Thursday.
My dentist [Okonkwo|P] moved to the new clinic on Mill Street.
Please forward the invoice to [Folasade Adeyemi|P].
[Emeka|P] and [Adaeze|P] are getting married in June!
Thanks, [Olumide Balogun|P], for fixing the gate.
# India
[Venkatesh Iyer|P] asked whether we can move the review to Monday.
Called [Lakshmi|P] about the recipe; she uses less salt.
[Harpreet Gill|P] drove us to the airport.
The plumber, [Raghavan|P], comes back on Friday.
[Ishita|P]'s sister is staying with us until Sunday.
Dinner at [Anirudh|P]'s place, bring dessert.
I gave the spare keys to [Parvathi Menon|P].
Spoke with [Sukhwinder|P] on the phone, he prefers the early train.
# China
[Zhang Xiuying|P] presented the figures for the third quarter.
[Haoran|P] told me the lift is broken again.
Ask [Liu Yifei|P] if she still has the drill.
[Mengqi Zhou|P] and I walked along the canal.
Our landlord [Guo Jianming|P] raised the rent.
[Xiaoling|P] wrote that her exam went well.
Coffee with [Weimin Tan|P] next Tuesday?
# Vietnam
[Nguyen Thi Hoa|P] baked bread for the whole floor.
[Quynh|P] says the meeting was cancelled.
I owe [Trinh Van Duc|P] twenty euros.
[Huong|P] asked for the photos from the picnic.
Forwarded your note to [Bao Tran|P], who is responsible for bookings.
[Thuy Linh|P] thinks the colour is too dark.
# Brazil
[Thiago Figueiredo|P] booked the court for eight.
[Jussara|P] called, her flight is late.
My boss [Leandro Siqueira|P] approved the days off.
[Cauã|P] learned to swim this summer.
Meeting notes: [Iara Nogueira|P] will draft the letter.
Had a long talk with [Rosângela|P] about school.
# Turkey
[Ayşegül Kaya|P] offered to host the reading circle.
[Emre|P] texted that he lost his wallet.
Received the contract from [Burak Yıldırım|P].
[Zehra|P] prefers tea.
Dr. [Çelik|P] prescribed new drops.
The electrician [Tuncay|P] said the fuse box is too old.
# Poland
[Agnieszka Wójcik|P] will water the plants.
[Zbigniew|P] showed us his workshop.
[Grzegorz Nowak|P] replied that the part is out of stock.
Our neighbour [Wojtek|P] plays the trumpet.
I asked [Małgorzata|P] for her opinion.
[Kasia Zielińska|P] and [Bartosz|P] argued about the route.
"""

HELD_OUT_PEOPLE = """
# Finland
[Aino Virtanen|P] leads the choir since autumn.
[Jukka|P] brought firewood and stayed for dinner.
My physio [Päivi Korhonen|P] recommends swimming.
[Ilmari|P] said he would fix the sauna door.
Sent the slides to [Tuula Heikkinen|P].
[Eero|P] and [Saara|P] have a new puppy.
# Ethiopia
[Tewodros Bekele|P] opened the meeting with a short prayer.
[Mekdes|P] told us about her village.
The choir director [Almaz Tadesse|P] chose three songs.
I will call [Dawit|P] tonight.
[Hiwot|P] wants to study medicine.
Thanks to [Getachew Abebe|P] we found the bus.
# Iran
[Shirin Ebrahimi|P] translated the letter.
[Behrouz|P] cooked a stew, his best so far.
Please ask [Golnaz|P] whether she can come earlier.
[Kourosh Farahani|P] paid the deposit.
Visited [Parisa|P] in hospital.
My colleague [Mehrdad|P] is leaving in March.
# Japan
[Haruto Kobayashi|P] measured the room twice.
[Yukiko|P] said the train was full.
[Tanaka Kenji|P] signed the form.
Had ramen with [Shinji|P], who just moved here.
Met [Ayumi Nakagawa|P] at the swimming pool.
[Sensei Morimoto|P] cancelled the lesson.
# Mexico
[Xóchitl Ramírez|P] painted the mural.
[Lupita|P] invited us for Saturday.
[Cuauhtémoc|P] repaired my bike.
Tell [Itzel|P] that her parcel arrived.
[Rigoberto Salinas|P] explained the tax form to me.
My aunt [Chayo|P] sold the house.
# Germany
[Anneliese Vogt|P] reminded us of the deadline.
[Jörg|P] builds a shed this weekend.
[Heike Brandstätter|P] asked for a quiet room.
The caretaker, Herr [Schulze|P], locks up at nine.
[Wiebke|P] dropped off the books.
Talked to [Ulrich|P] about his pension.
# Nigeria and India, chat
[Ifeoma|P] liked the idea and wants to help.
[Chukwuemeka Obi|P] resigned from the board.
omg [Deepika|P] just told me she got the job
[Jagdish|P] will pick up the cake
did [Nnamdi|P] reply to you?
[Swapnil Deshpande|P] joined us as treasurer.
# China, Turkey, Brazil and Poland, notes
Gift ideas for [Yanmei|P]: scarf, tea, a good pen.
[Serkan Doğan|P] disagrees with the plan.
Remember to thank [Jaciara|P] for the loan.
[Przemysław|P] thinks we should wait.
Interview with [Ewelina Kaczmarek|P] at noon, she lives near the port.
[Ruixin Shen|P] gave me her old desk.
"""

TUNED_THINGS = """
[Fallen Leaves|-] is a lovely track for a rainy evening.
The [WiFi|-] in the kitchen is slow again.
I had [Covid|-] in spring and was tired for weeks.
Bought two pots of [Lavender|-] and one of [Thyme|-] for the balcony.
Networks in range: [Linksys|-], [FritzBox|-] and [Skynet5|-].
Watched [Moonlit Harbour|-] on the sofa, it was too long.
[Ibuprofen|-] helps, but not for long.
We are flying with [Ryanair|-] in [August|-].
The [Dyson|-] needs a new filter.
Repotted the [Monstera|-] and the [Ficus|-].
Playing [Zelda|-] with the kids on Sunday.
[Influenza|-] is going round at school.
[Nutella|-] was on offer.
My new [Garmin|-] counts steps badly.
[October|-] was rainy.
Listened to [Golden Hour|-] on repeat.
The [Monstera|-] has a new leaf.
Try [Duolingo|-] for ten minutes a day.
[Migraine|-] again, stayed in bed.
The password of [GuestNet|-] is on the fridge.
"""

HELD_OUT_THINGS = """
[Silver Lining|-] is the best song on the record.
[Bluetooth|-] keeps disconnecting in the car.
[Norovirus|-] closed the nursery for a week.
Planted [Rosemary|-] and [Basil|-] next to the steps.
[Paracetamol|-] twice a day, says the leaflet.
The [Nespresso|-] leaks.
Saw [Paper Moons|-] at the cinema and liked it.
[February|-] felt endless.
The [Peugeot|-] failed its inspection.
[Hydrangea|-] cuttings are rooting in the shed.
[Asthma|-] is worse when it is cold.
Joined [HomeNet|-] with the old password.
[Ikea|-] delivered the wrong shelf.
[Minecraft|-] is all he talks about.
The [Oleander|-] did not survive the frost.
[Netflix|-] raised its prices.
[Easter|-] is late this year.
My [Kindle|-] is full.
[Pollen|-] counts are high today.
[Lego|-] everywhere on the carpet.
"""

_MARK = re.compile(r"\[([^|\]]+)\|([P-])\]")


@dataclass(frozen=True)
class Marked:
    """A sentence with its marked names: start, end, and whether the name is that of a person."""

    text: str
    names: tuple[tuple[int, int, bool], ...]


def marked(*texts: str) -> list[Marked]:
    """Return the sentences of labelled texts."""
    lines = [line for text in texts for line in text.strip().splitlines() if not line.startswith("#")]
    return [_read(line) for line in lines]


def _read(line: str) -> Marked:
    text, names, done = "", [], 0
    for match in _MARK.finditer(line):
        text += line[done : match.start()]
        names.append((len(text), len(text) + len(match[1]), match[2] == "P"))
        text, done = text + match[1], match.end()
    return Marked(text + line[done:], tuple(names))


TUNED = marked(TUNED_PEOPLE, TUNED_THINGS)
HELD_OUT = marked(HELD_OUT_PEOPLE, HELD_OUT_THINGS)
