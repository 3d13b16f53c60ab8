"""The page of a run, and the server that lists pages."""

import threading
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from selenium.webdriver.common.by import By

from diagnose.commands.curves import judge_records
from diagnose.page.figures import charts_of
from diagnose.page.run_page import write_run_page
from diagnose.page.serve import server_of
from diagnose.page.word_diff import marked_words
from diagnose.records import GeneratedText, Record, Records
from tests.support.browser import browser, color_scheme, console_errors, open_page, requested, serious_violations

HOSTILE = "<img src=x onerror=\"document.title='it ran'\"> mèo"


def run_of(steps=60, metric=12.5):
    rows = [Record(step, loss=4.0 * 0.95**step, lr=1e-3, grad_norm=1.0, parts={"ctc": 2.0}) for step in range(1, steps)]
    said = (GeneratedText("tôi thích " + HOSTILE, "tôi thích mèo"),)
    return Records.of([*rows, Record(steps, evaluation={"loss": 0.5, "wer": metric}, texts=said)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    for name, metric in (("first", 12.5), ("second", 8.25)):
        (root / name / "preflight").mkdir(parents=True)
        (root / name / "preflight" / "report.html").write_text("<p>of another tool</p>", encoding="utf-8")
        write_run_page(judge_records(run_of(metric=metric)), root / name)
    return root


def test_a_run_shows_curves_and_predictions_with_the_differing_words_marked(folder, tmp_path):
    with browser(tmp_path) as driver:
        open_page(driver, folder / "first" / "report.html")
        titles = [one.text for one in driver.find_elements(By.CSS_SELECTOR, "figure h3")]
        assert titles == ["Loss", "Learning rate", "Gradient norm", "wer (evaluation)"]
        assert driver.find_element(By.TAG_NAME, "mark").text == HOSTILE.removesuffix(" mèo")
        assert driver.title == "Run first - GoNoGo"
        assert (
            driver.find_element(By.LINK_TEXT, "Its preflight").get_attribute("href").endswith("preflight/report.html")
        )
        assert console_errors(driver) == [] and requested(driver) == []
        for scheme in ("light", "dark"):
            color_scheme(driver, scheme)
            assert serious_violations(driver) == []


def test_a_run_known_to_be_good_is_drawn_beside_it():
    drawn = charts_of(judge_records(run_of(), run_of(metric=10.0)).figures)
    assert [[one.name for one in chart.series] for chart in drawn if chart.title in ("Loss", "wer (evaluation)")] == [
        [
            "loss",
            "loss, reference run",
            "ctc",
            "ctc, reference run",
            "loss (evaluation)",
            "loss (evaluation), reference run",
        ],
        ["wer (evaluation)", "wer (evaluation), reference run"],
    ]


def test_a_word_that_differs_is_marked_and_escaped():
    assert marked_words("a b c", "a x c") == "a <mark>b</mark> c"
    assert marked_words("<b> same", "same") == "<mark>&lt;b&gt;</mark> same"
    assert marked_words("same", "same more") == "same"


def test_a_page_stays_small_whatever_the_length_of_the_run(tmp_path):
    page = write_run_page(judge_records(run_of(steps=20_000)), tmp_path)
    assert page.stat().st_size < 300_000


@pytest.fixture(scope="module")
def address(folder):
    server = server_of(folder, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def text_at(address, **headers):
    with urlopen(Request(address, headers=headers)) as answer:
        return answer.read().decode()


def test_pages_are_listed_by_date_or_metric_and_foreign_ones_are_not(address):
    listed = text_at(f"{address}/?sort=metric")
    assert listed.index("second/report.html") < listed.index("first/report.html")
    assert "wer 8.25" in listed and "preflight" not in listed
    assert "Run first" in text_at(f"{address}/first/report.html")


@pytest.mark.parametrize(
    "path", ["/../secret/report.html", "/%2e%2e/secret/report.html", "/first/other.txt", "//etc/passwd"]
)
def test_nothing_outside_the_folder_and_nothing_but_pages_is_served(address, folder, path):
    (folder.parent / "secret").mkdir(exist_ok=True)
    (folder.parent / "secret" / "report.html").write_text("secret", encoding="utf-8")
    (folder / "first" / "other.txt").write_text("secret", encoding="utf-8")
    with pytest.raises(HTTPError) as refused:
        text_at(address + path)
    assert refused.value.code == HTTPStatus.NOT_FOUND


def test_a_request_under_another_host_name_is_refused(address):
    with pytest.raises(HTTPError) as refused:
        text_at(address, Host="evil.example")
    assert refused.value.code == HTTPStatus.FORBIDDEN
