"""The times a fact's text names, against the day of its log."""

from datetime import date

import pytest

from lorebank.dates.times import times_of
from lorebank.domain.facts import Interval
from support import golden

RECORDED = date(2025, 11, 26)


def one_day(written: str) -> Interval:
    day = date.fromisoformat(written)
    return Interval(day, day)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixed the crash yesterday.", one_day("2025-11-25")),
        ("Met Anna on Friday.", one_day("2025-11-21")),
        ("Will fly to Rome on Friday.", one_day("2025-11-28")),
        ("Dentist next Thursday.", one_day("2025-11-27")),
        ("Trip on 3 December.", one_day("2025-12-03")),
        ("Visited Lisbon on 3 October.", one_day("2025-10-03")),
        ("Visited Lisbon on 3 December.", one_day("2025-12-03")),  # no year ago without saying so
        ("Promised Ana the draft by May 3.", Interval(None, date(2026, 5, 3))),
        ("Hat versprochen, am 3. Mai zu liefern.", one_day("2026-05-03")),
        ("Prometió pagar el 3 de mayo.", one_day("2026-05-03")),
        ("A promis de venir le 3 mai.", one_day("2026-05-03")),
        ("Am 3. März ziehen wir um.", one_day("2026-03-03")),
        ("Es wird am 3. März eröffnet.", one_day("2026-03-03")),
        ("The lease ends in 3 days, payment is due.", one_day("2025-11-29")),
        ("Serviced on 20 January by Ana; it should hold a year.", one_day("2025-01-20")),
        ("Met Ana on 20 October and will call her back.", one_day("2025-10-20")),
        ("War am 20. Januar beim Arzt; muss wieder hin.", one_day("2025-01-20")),
        ("Bought it on 3 May, must register it.", one_day("2025-05-03")),
        ("On 3 May, she will move out.", one_day("2026-05-03")),
        ("The fair was postponed to 3 May.", one_day("2026-05-03")),
        ("Born on 12 May 1984.", one_day("1984-05-12")),
        ("Moved here in 2019.", Interval(date(2019, 1, 1), date(2019, 12, 31))),
        ("Viajó a Roma la semana pasada.", Interval(date(2025, 11, 17), date(2025, 11, 23))),
        ("Met Ana last Tuesday.", one_day("2025-11-25")),
        ("See the dentist the Thursday after Saturday.", one_day("2025-12-04")),
        ("Dal 2 al 6 dicembre siamo in Puglia.", Interval(date(2025, 12, 2), date(2025, 12, 6))),
        ("Dentist Tuesday at nine.", one_day("2025-12-02")),
        ("Toplantı Salı günü.", one_day("2025-12-02")),
        ("Physio moved to Thursday morning.", one_day("2025-11-27")),
        ("Tom arrives Fri evening.", one_day("2025-11-28")),
        ("gio h 10 colloquio", one_day("2025-11-27")),
        ("Dentista terça às 9.", one_day("2025-12-02")),
        ("Rendez-vous mercredi 14 heures.", one_day("2025-11-26")),
        ("Consulta jueves 15 horas.", one_day("2025-11-27")),
        ("Gym moved to sat week.", one_day("2025-12-06")),
        (
            "Das vorletzte Augustwochenende war schön.",
            Interval(date(2025, 8, 23), date(2025, 8, 24)),
        ),
        ("Fest am dritten Maisonntag.", one_day("2026-05-17")),
        ("Geschlossen vom 19. bis 23.12.", Interval(date(2025, 12, 19), date(2025, 12, 23))),
        ("Oma blijft hier van 3 t/m 9 december.", Interval(date(2025, 12, 3), date(2025, 12, 9))),
        ("Huur opgezegd per 1 januari.", one_day("2026-01-01")),
        ("The fair is on 29 November, Saturday.", one_day("2025-11-29")),
        ("L'8 arriva la legna.", one_day("2025-12-08")),
        ("Mum stays Sat-Mon.", Interval(date(2025, 11, 29), date(2025, 12, 1))),
        ("Plumber on thu", one_day("2025-11-27")),
        ("Booked the table for Friday.", one_day("2025-11-28")),
        ("Abbiamo prenotato per il 25 aprile.", one_day("2026-04-25")),
        ("The last Friday of the month is payday.", one_day("2025-11-28")),
        ("20 ile 25 Nisan arasında yokum.", Interval(date(2026, 4, 20), date(2026, 4, 25))),
        ("No dia 20 pago a renda.", one_day("2025-12-20")),
        ("Simula Lunes may klase na kami.", Interval(date(2025, 12, 1), None)),
        ("Wedding: Sat 13 June at two.", one_day("2026-06-13")),
        ("sat 10am rowing", one_day("2025-11-29")),
        ("We sat with the lawyer on Friday.", one_day("2025-11-21")),
        ("Sat the 13th of December: concert.", one_day("2025-12-13")),
        ("12日に歯医者に行く。", one_day("2025-12-12")),
        ("Road tax due 9/3.", one_day("2026-03-09")),
        ("Na 6ª feira janto fora.", one_day("2025-11-28")),
        ("The fair is a week from Saturday.", one_day("2025-12-06")),
        ("Fees are due the first of the month.", one_day("2025-12-01")),
        ("Paint it before the end of March.", Interval(None, date(2026, 3, 31))),
        ("Ostermontag geschlossen.", one_day("2026-04-06")),
        ("Haftaya perşembe toplanıyoruz.", one_day("2025-12-04")),
        ("Inilipat sa Biyernes ang laban.", one_day("2025-11-28")),
        ("Sa a-kinse ang sahod namin.", one_day("2025-12-15")),
        ("Nagbayad ako noong a-uno ng Nobyembre.", one_day("2025-11-01")),
        ("Next Monday is the demo.", one_day("2025-12-01")),
        ("Moved the server two weeks ago.", Interval(date(2025, 11, 10), date(2025, 11, 16))),
        ("The painters start in two weeks.", Interval(date(2025, 12, 8), date(2025, 12, 14))),
        ("Mart başından beri hep erken kalkıyor.", Interval(date(2025, 3, 1), None)),
        ("Quit smoking at New Year.", one_day("2025-01-01")),
        ("Halloween at Bob's was great.", one_day("2025-10-31")),
        ("On Thursday Maria called about the roof.", one_day("2025-11-20")),
        ("Der Vertrag endet am 30. Juni.", one_day("2026-06-30")),
        ("Réunion avec Paul mardi prochain.", one_day("2025-12-02")),
        ("Anteontem falei com o Rui.", one_day("2025-11-24")),
        ("Partiremo il 3 giugno.", one_day("2026-06-03")),
        ("明年春节去北京。", one_day("2026-02-17")),
        ("先週の土曜日に引っ越した。", one_day("2025-11-22")),
        ("来週東京に行く", Interval(date(2025, 12, 1), date(2025, 12, 7))),
        ("Freitag 9 Uhr Zahnarzt.", one_day("2025-11-28")),
        ("Lunch on Friday, 1 PM.", one_day("2025-11-28")),
    ],
)
def test_time_named_by_the_text(text: str, expected: Interval) -> None:
    assert times_of(text, RECORDED) == (expected,)


@golden("times.md")
def test_text_that_names_no_time(text: str) -> None:
    assert times_of(text, RECORDED) == ()


def test_relative_phrases_need_the_day_of_the_log() -> None:
    assert times_of("Fixed yesterday.", None) == ()
    assert times_of("Trip on 3 December.", None) == ()
    assert times_of("Trip on 3 December 2024.", None) == (one_day("2024-12-03"),)


@golden("times.md")
def test_what_happens_again_and_again_names_no_time(text: str) -> None:
    assert times_of(text, RECORDED) == ()


@golden("times.md")
def test_several_times_are_all_kept_in_order_a_new_day_first(
    text: str, expected: list[str]
) -> None:
    assert times_of(text, RECORDED) == tuple(map(one_day, expected))


@golden("times.md")
def test_a_weekday_written_on_that_day_is_today(text: str, expected: str) -> None:
    assert times_of(text, RECORDED) == (one_day(expected),)


def test_since_never_lies_ahead_and_until_does() -> None:
    assert times_of("Off sugar since December.", RECORDED) == (Interval(date(2024, 12, 1), None),)
    assert times_of("Off sugar until March.", RECORDED) == (Interval(None, date(2026, 3, 31)),)


def test_opening_hours_name_no_time_and_a_stay_does() -> None:
    assert times_of("The clinic is open from Monday to Thursday.", RECORDED) == ()
    stay = Interval(date(2025, 12, 1), date(2025, 12, 4))
    assert times_of("Ana is away from Monday to Thursday.", RECORDED) == (stay,)


def test_a_clock_without_power_names_no_time() -> None:
    assert times_of("The oven thinks it is 1970.", RECORDED) == ()
