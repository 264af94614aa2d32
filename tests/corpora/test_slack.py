"""A Slack export, packed and unpacked."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from answerable.corpora.fields import fields_of, row_of
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

MORNING = 1_620_122_400  # 4 May 2021, 10:00


def said(user: str, seconds: int, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "ts": f"{MORNING + seconds}.000200", "text": text, **more}


FILES: dict[str, Any] = {
    "users.json": [
        {"id": "U1", "name": "ann", "real_name": "Ann Lee", "profile": {"real_name": "Ann Lee", "display_name": "ann"}},
        {"id": "U2", "name": "bo", "deleted": True, "profile": {"real_name": "", "display_name": "Bo"}},
    ],
    "channels.json": [{"id": "C1", "name": "lamps", "members": ["U1", "U2"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "mpims.json": [{"id": "G1", "name": "mpdm-ann--bo-1", "members": ["U1", "U2"]}],
    "integration_logs.json": [],
    "lamps/2021-05-04.json": [
        said(
            "U1",
            0,
            "Who has the <https://example.org/l|lens> of <#C1|lamps>, <@U2>? A &amp; B",
            thread_ts=f"{MORNING}.000200",
        ),
        said("U2", 60, "Good morning <!here>"),
        said("U2", 30, "<@U2> has joined the channel", subtype="channel_join"),
        said("B1", 90, "", subtype="bot_message", username="Weather", attachments=[{"fallback": "Fog."}]),
        "no message",
        {"ts": "never", "text": "x"},
    ],
    "lamps/2021-05-05.json": [
        said("U2", 86_400, "I have it.", thread_ts=f"{MORNING}.000200"),
        said("U9", 86_500, "", files=[{"name": "lens.pdf", "title": "Lens"}], user_profile={"real_name": "Cy Oe"}),
    ],
    "D1/2021-05-04.json": [said("U1", 5, "Between us.")],
    "mpdm-ann--bo-1/2021-05-04.json": [said("U2", 6, "Among us.")],
}
DATA: dict[str, str | bytes] = {name: json.dumps(one) for name, one in FILES.items()}


def test_threads_are_documents_and_the_rest_goes_by_days(tmp_path: Path) -> None:
    documents, reports = read(write(tmp_path / "team.zip", packed(DATA)))
    told = {one.id.removeprefix("team.zip#"): (one.title, one.text) for one in documents}
    assert told == {
        "D1/2021-05-04": ("Ann Lee, Bo, 4 May 2021", "Ann Lee, 4 May 2021, 10:00: Between us."),
        f"lamps/{MORNING}.000200": (
            "#lamps, 4 May 2021",
            "Ann Lee, 4 May 2021, 10:00: Who has the lens of #lamps, @Bo? A & B\n\nBo, 5 May 2021, 10:00: I have it.",
        ),
        "lamps/2021-05-04": (
            "#lamps, 4 May 2021",
            "Bo, 4 May 2021, 10:01: Good morning here\n\nWeather, 4 May 2021, 10:01: Fog.",
        ),
        "lamps/2021-05-05": ("#lamps, 5 May 2021", "Cy Oe, 5 May 2021, 10:01: Lens"),
        "mpdm-ann--bo-1/2021-05-04": ("Ann Lee, Bo, 4 May 2021", "Bo, 4 May 2021, 10:00: Among us."),
    }
    thread = next(one for one in documents if one.meta["to"])
    assert reports == [] and thread.kind == "chat" and thread.meta["folder"] == "#lamps"
    assert (fields := fields_of(thread)) and (fields.sender, fields.to) == ("Ann Lee", ("Bo",))
    assert row_of("chat", thread.meta) == ("chat", "ann lee", "bo", "2021-05-04")


def test_unpacked_and_in_a_folder_of_its_own_it_is_the_same(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "team.zip", packed(DATA))) as archive:
        archive.extractall(tmp_path / "team")
    whole, _ = read(tmp_path / "team.zip")
    unpacked, _ = read(tmp_path / "team")
    within, _ = read(write(tmp_path / "team2.zip", packed({f"team/{name}": data for name, data in DATA.items()})))
    assert [one.text for one in whole] == [one.text for one in unpacked] == [one.text for one in within]
    assert read(tmp_path / "team.zip", start=2)[0] == whole[2:]


def test_a_damaged_day_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    documents, reports = read(write(tmp_path / "team.zip", packed({**DATA, "lamps/2021-05-05.json": "[{"})))
    assert len(documents) == 3 and "I have it" not in str(documents)
    assert reports == ["skipped the day 2021-05-05 of team.zip: it is damaged or too large"]
