"""The page of a preflight, opened in a real browser."""

from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import diagnose
from diagnose.page.report_page import report_page
from probes.faults.kit.changes import with_labels
from probes.healthy import healthy
from tests.support.browser import browser, color_scheme, console_errors, open_page, requested, serious_violations

HOSTILE = "<script>document.title = 'it ran'</script>"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as driven:
        yield driven


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    facts = healthy("hybrid")
    go = diagnose.preflight(progress=False, **facts)
    facts = healthy("mt5")
    pad = facts["tokenizer"].pad_token_id
    no_go = diagnose.preflight(
        progress=False, **with_labels(facts, lambda labels: labels.masked_fill(labels == -100, pad))
    )
    return {"go": go.write_html(folder / "go.html"), "no-go": no_go.write_html(folder / "no-go.html")}


@pytest.mark.parametrize("name", ["go", "no-go"])
def test_a_page_opens_from_disk_with_its_verdict_in_sight(driver, pages, name):
    open_page(driver, pages[name])
    verdict = driver.find_element(By.CLASS_NAME, "verdict")
    assert verdict.rect["y"] + verdict.rect["height"] < 720
    assert ("READY TO TRAIN" if name == "go" else "DO NOT START TRAINING") in verdict.text
    assert console_errors(driver) == [] and requested(driver) == []
    assert pages[name].stat().st_size < 500_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["go", "no-go"])
def test_axe_finds_no_serious_violation(driver, pages, name, scheme):
    color_scheme(driver, scheme)
    open_page(driver, pages[name])
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert serious_violations(driver) == []


def test_a_playbook_unfolds_by_keyboard(driver, pages):
    open_page(driver, pages["no-go"])
    folded = driver.find_element(By.CSS_SELECTOR, ".cause details:last-of-type")
    summary = folded.find_element(By.TAG_NAME, "summary")
    assert not folded.get_attribute("open")
    for _ in range(20):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        if driver.switch_to.active_element == summary:
            break
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert folded.get_attribute("open")
    assert "masked_fill" in folded.text and "from probes" not in folded.text


def test_charts_say_in_words_what_they_show_and_list_their_numbers(driver, pages):
    open_page(driver, pages["go"])
    figures = driver.find_elements(By.CSS_SELECTOR, "section[aria-labelledby=charts] figure")
    assert len(figures) >= 6
    for figure in figures:
        caption = figure.find_element(By.TAG_NAME, "figcaption").text
        assert figure.find_element(By.TAG_NAME, "svg").get_attribute("aria-label") == caption
        assert figure.find_elements(By.CSS_SELECTOR, "tbody tr")


def test_rows_are_shown_with_a_player_that_plays_to_its_end(driver, pages):
    open_page(driver, pages["go"])
    rows = driver.find_elements(By.CLASS_NAME, "pair")
    assert 3 <= len(rows) <= 6 and "masked]" in rows[0].text
    assert all(row.find_elements(By.CSS_SELECTOR, "svg.wave, img") for row in rows)
    script = """const done = arguments[1]; arguments[0].onended = () => done(arguments[0].currentTime);
                arguments[0].onerror = () => done(-1); arguments[0].play()"""
    player = rows[0].find_element(By.TAG_NAME, "audio")
    assert driver.execute_async_script(script, player) == pytest.approx(float(player.get_property("duration")), abs=0.1)


def test_text_from_data_is_shown_and_never_runs(driver, tmp_path, pages):
    report = diagnose.preflight(
        progress=False, train_rows=[{"transcript": HOSTILE, "id": HOSTILE}, {"transcript": "", "id": "b"}]
    )
    named = [replace(outcome, reason=HOSTILE) for outcome in report.outcomes]
    path = tmp_path / "hostile.html"
    path.write_text(report_page(replace(report, outcomes=tuple(named)), title=HOSTILE), encoding="utf-8")
    open_page(driver, path)
    assert driver.title.startswith("<script>") and HOSTILE in driver.find_element(By.TAG_NAME, "h1").text
    assert driver.find_elements(By.CSS_SELECTOR, "script") == []
