"""Settings: file, then environment, then arguments; unknown keys and bad values fail with their path."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.errors import EnclaveError, SettingsError
from answerable.remote.place import Place
from answerable.types import EVERYTHING, PUBLIC, Privacy
from answerable.workspace.declarations import FILE_NAME, Declaration, Kind
from answerable.workspace.settings import declare, declare_remote, keys, load, template
from tests.laws.worlds import MemoryEnclave


def written(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text, encoding="utf8")
    return folder


def origin(settings, path):
    return next(o.origin for o in settings.origins if o.path == path)


def test_defaults_need_no_file():
    settings = load(None, {})
    assert settings.beam.hops == 2 and settings.ask.privacy is Privacy.DOCUMENT and settings.ask.threshold is None
    assert {o.origin for o in settings.origins} == {"default"}


def test_later_layers_win_and_say_so(tmp_path):
    folder = written(tmp_path, '[beam]\nhops = 3\nk = 4\n[ask]\nprivacy = "query"\n')
    settings = load(
        folder, {"ANSWERABLE_BEAM_K": "5", "PATH": "/bin"}, {"ask.privacy": Privacy.NONE, "beam.width": None}
    )
    assert (settings.beam.hops, settings.beam.k, settings.ask.privacy) == (3, 5, Privacy.NONE)
    assert origin(settings, "beam.hops") == FILE_NAME
    assert origin(settings, "beam.k") == "environment"
    assert origin(settings, "ask.privacy") == "argument"
    assert origin(settings, "beam.width") == "default"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[beam]\nhop = 3\n", "beam.hop"),
        ("[beams]\nhops = 3\n", "beams"),
        ("[beam]\nhops = 0\n", "beam.hops"),
        ("[beam]\nhops = 2.5\n", "beam.hops"),
        ("[beam]\nhops = true\n", "beam.hops"),
        ("[beam]\nranking = 'best'\n", "beam.ranking"),
        ("[beam]\nkeep_short = 'perhaps'\n", "beam.keep_short"),
        ("[ask]\nthreshold = nan\n", "ask.threshold"),
        (f"[ask]\nthreshold = 1{'0' * 400}\n", "ask.threshold"),
        ("[ask]\nprivacy = 'total'\n", "ask.privacy"),
        ("[models]\nencoder = 3\n", "models.encoder"),
        ("[enclaves.a]\nkinds = 'public'\n", "enclaves.a.kinds"),
        ("[enclaves.a]\nkind = 'secret'\n", "enclaves.a.kind"),
        ("[enclaves.a]\nadmits = 'b'\n", "enclaves.a.admits"),
        ("[enclaves.a]\nmode = 'entity'\n", "enclaves.a.mode"),
        ("[askers.a]\nclearance = 3\n", "askers.a.clearance"),
        ("enclaves = 3\n", "enclaves"),
        ("beam = 3\n", "beam"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path, text, path):
    with pytest.raises(SettingsError, match=path.replace(".", r"\.")):
        load(written(tmp_path, text), {})


def test_what_is_wrong_elsewhere_is_named_too(tmp_path):
    with pytest.raises(SettingsError, match=r"ANSWERABLE_BEAM_HOP .*did you mean ANSWERABLE_BEAM_HOPS"):
        load(None, {"ANSWERABLE_BEAM_HOP": "3"})
    with pytest.raises(SettingsError, match=r"beam\.depth"):
        load(None, {}, {"beam.depth": 3})
    with pytest.raises(SettingsError, match="not valid TOML"):
        load(written(tmp_path, "[beam\n"), {})
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe[beam]")
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path, {})


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("MODELS_ENCODER", "", "skills (an expert for each), hashed"),
        ("MODELS_READER", " ", "span, overlap (no weights)"),
        ("MODELS_THREADS", "", "from 0 to 256"),
        ("BEAM_HOPS", "three", "from 1 to 5"),
        ("BEAM_HOPS", "9", "from 1 to 5"),
        ("LLM_CONTEXT", "9", "from 1,024 to 2,000,000"),
        ("ASK_THRESHOLD", "nan", "from 0 to 1"),
        ("BEAM_KEEP_SHORT", "", "not true or false"),
        ("ASK_PRIVACY", "", "none, document, query"),
        ("SEARCH_MODE", "fast", "hybrid, dense, lexical"),
    ],
)
def test_a_bad_variable_is_named_with_what_is_allowed(variable, value, allowed):
    with pytest.raises(SettingsError) as caught:
        load(None, {f"ANSWERABLE_{variable}": value})
    assert str(caught.value).startswith(f"ANSWERABLE_{variable} is {value!r}, ") and allowed in str(caught.value)


def test_a_table_of_a_wrong_name_is_led_to_the_right_one(tmp_path):
    with pytest.raises(SettingsError, match=r"unknown section \[enclave\].*did you mean enclaves"):
        load(written(tmp_path, "[enclave.mail]\nkind = 'public'\n"), {})


def test_no_threshold_is_an_empty_variable_and_no_other_setting_is(tmp_path):
    assert load(None, {"ANSWERABLE_ASK_THRESHOLD": ""}).ask.threshold is None
    optional = {"ask.threshold", "find.threshold", "serve.token_file", "serve.certificate", "serve.key", "serve.hosts"}
    optional |= {"pairs.threshold", "pairs.early_threshold", "pairs.budget", "ask.risk", "work.cluster"}
    optional |= {"llm.endpoint", "llm.model", "llm.key_file", "store.url"}
    for path in keys().keys() - optional:
        name = "ANSWERABLE_" + path.replace(".", "_").upper()
        with pytest.raises(SettingsError, match=f"^{name} is ''"):
            load(None, {name: ""})
    with pytest.raises(SettingsError, match=r"^models\.encoder is ''"):
        load(written(tmp_path, "[models]\nencoder = ''\n"), {})


def test_every_setting_is_described_with_a_range_where_it_is_a_number():
    for path, (_, default, key) in keys().items():
        numeric = isinstance(default, int | float) and not isinstance(default, bool)
        assert key.about and (key.low is not None) == (numeric or path.endswith(("threshold", "risk"))), path


def test_the_template_is_the_defaults(tmp_path):
    sections = "ask beam search models read find pairs llm limits journal remote serve store work".split()
    assert tomllib.loads(template()) == {section: {} for section in sections}
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line and "clearance" not in line else line
        for line in template().splitlines()
    )
    settings = load(written(tmp_path, uncommented), {})
    assert {path: getattr(getattr(settings, path.split(".")[0]), path.split(".")[1]) for path in keys()} == {
        path: known.default for path, known in keys().items()
    }
    assert {o.origin for o in settings.origins} == {FILE_NAME}


def test_kinds_become_enclaves():
    assert Declaration("a", Kind.PUBLIC).enclave().admits == EVERYTHING
    assert Declaration("a", Kind.PUBLIC, PUBLIC).enclave().admits == PUBLIC  # as if elsewhere
    assert Declaration("a", Kind.PUBLIC, None, Place("https://a.example")).enclave().admits == PUBLIC
    assert Declaration("a", Kind.PUBLIC, index=MemoryEnclave("a", [], [])).enclave().admits == PUBLIC
    assert Declaration("a", Kind.PUBLIC).enclave().label == PUBLIC
    assert Declaration("a", Kind.MIRROR).enclave().admits == EVERYTHING
    assert Declaration("a", Kind.MIRROR).enclave().label == PUBLIC
    assert Declaration("a").enclave().label == {"a"}
    assert Declaration("a", Kind.PRIVATE, frozenset({"b"})).enclave().admits == {"a", "b"}
    place = Place("https://wiki.example.org")
    for kind in Kind:
        assert Declaration("a", kind, remote=place).enclave().remote and not Declaration("a", kind).enclave().remote
    with pytest.raises(SettingsError, match=r"enclaves\.a\.admits"):
        Declaration("a", Kind.MIRROR, frozenset({"b"})).enclave()


def test_an_enclave_may_be_ranked_by_a_mode_of_its_own(tmp_path):
    text = "[search]\nmode = 'dense'\n[enclaves.mail]\nmode = 'lexical'\n[enclaves.wiki]\nkind = 'public'\n"
    settings = load(written(tmp_path, text), {})
    assert settings.modes() == {"mail": "lexical"} and settings.search.mode == "dense"
    for chosen in (load(tmp_path, {}, {"search.mode": "hybrid"}), load(tmp_path, {"ANSWERABLE_SEARCH_MODE": "hybrid"})):
        assert chosen.modes() == {} and chosen.search.mode == "hybrid"  # what is said for once is said for all
    made = Declaration("desk", mode="hybrid")
    assert load(written(tmp_path, made.toml()), {}).enclaves["desk"] == made


def test_a_new_enclave_is_private_unless_told_otherwise(tmp_path):
    assert declare(tmp_path, "mail", None).kind is Kind.PRIVATE
    declare(tmp_path, "wiki", Kind.PUBLIC)
    assert {n: d.kind for n, d in load(tmp_path, {}).enclaves.items()} == {"mail": Kind.PRIVATE, "wiki": Kind.PUBLIC}
    assert load(tmp_path, {}).table()["mail"].label == {"mail"}


def test_a_declaration_keeps_what_the_user_wrote(tmp_path):
    written(tmp_path, "# mine\n[beam]\nhops = 3 # three\n")
    declare(tmp_path, "mail", None)
    assert (tmp_path / FILE_NAME).read_text(encoding="utf8").startswith("# mine\n[beam]\nhops = 3 # three\n")
    assert load(tmp_path, {}).beam.hops == 3


def test_a_link_to_the_settings_stays_one(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    written(kept, "[beam]\nhops = 3\n")
    (tmp_path / FILE_NAME).symlink_to(Path("kept") / FILE_NAME)
    declare(tmp_path, "notes", None)
    assert (tmp_path / FILE_NAME).is_symlink() and load(kept, {}).enclaves.keys() == {"notes"}


def test_a_declaration_is_never_contradicted(tmp_path):
    declare(tmp_path, "mail", None)
    before = (tmp_path / FILE_NAME).read_text(encoding="utf8")
    with pytest.raises(EnclaveError, match="declared private, not public") as told:
        declare(tmp_path, "mail", Kind.PUBLIC)
    assert str(tmp_path / FILE_NAME) in str(told.value.hint)
    assert declare(tmp_path, "mail", None).kind is Kind.PRIVATE
    assert (tmp_path / FILE_NAME).read_text(encoding="utf8") == before


@pytest.mark.parametrize("name", ["", "Mail", "a/b", "..", "a b", "question", "x" * 65, 'a"]\n[beam'])
def test_a_name_that_is_not_allowed_is_never_written(tmp_path, name):
    with pytest.raises(EnclaveError):
        declare(tmp_path, name, None)
    assert not (tmp_path / FILE_NAME).exists()


def test_askers_are_checked_against_the_enclaves(tmp_path):
    text = "[enclaves.mail]\n[askers.guest]\nclearance = ['mail']\n[askers.boss]\nclearance = ['vault']\n"
    settings = load(written(tmp_path, text), {})
    assert settings.askers["guest"].clearance == {"mail"}
    with pytest.raises(EnclaveError, match="vault"):
        settings.table()


def test_an_enclave_can_be_redeclared_for_one_opening(tmp_path):
    declare(tmp_path, "wiki", Kind.PUBLIC, PUBLIC)
    for given in ({"enclaves.wiki.kind": Kind.MIRROR}, {"enclaves.wiki.as_if_elsewhere": False}):
        assert load(tmp_path, {}, given).table()["wiki"].admits == EVERYTHING
    assert load(tmp_path, {}).table()["wiki"].admits == PUBLIC
    with pytest.raises(SettingsError, match=r"enclaves\.attic\.kind"):
        load(tmp_path, {}, {"enclaves.attic.kind": Kind.MIRROR})


def test_a_file_of_another_editor_is_read_and_one_that_is_no_text_is_named(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"\xef\xbb\xbf[beam]\nhops = 3\n")
    assert load(tmp_path, {}).beam.hops == 3
    declare(tmp_path, "notes", None)
    assert load(tmp_path, {}).enclaves.keys() == {"notes"}
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfeh")
    with pytest.raises(SettingsError, match="UTF-8"):
        load(tmp_path, {})
    with pytest.raises(SettingsError, match="not valid TOML"):
        load(written(tmp_path, "a = " + "[" * 50_000), {})
    with pytest.raises(SettingsError, match="beam is not a table"):
        load(written(tmp_path, "beam = 3"), {})


def test_enclaves_in_braces_are_not_spoilt_by_another(tmp_path):
    text = 'enclaves = {wiki = {kind = "public"}}\n'
    folder = written(tmp_path, text)
    assert declare(folder, "wiki", None).kind is Kind.PUBLIC
    with pytest.raises(SettingsError, match="notes cannot be added"):
        declare(folder, "notes", None)
    assert (folder / FILE_NAME).read_text() == text


REMOTE = '[enclaves.wiki]\nkind = "public"\nremote = "https://wiki.example.org:8642"\n'


def test_an_enclave_on_another_machine_is_declared_without_its_token(tmp_path):
    (tmp_path / "token").write_text("correct-horse-battery")
    place = Place("https://wiki.example.org:8642", tmp_path / "token", tmp_path / "ca.pem")
    made = Declaration("wiki", Kind.PUBLIC, frozenset({"mail"}), place)
    declare(tmp_path, "mail", None)
    declare_remote(tmp_path, made)
    assert load(tmp_path, {}).enclaves["wiki"] == made
    assert "correct-horse" not in (tmp_path / FILE_NAME).read_text(encoding="utf8")
    for name in ("wiki", "mail"):
        with pytest.raises(EnclaveError, match="declared already"):
            declare_remote(tmp_path, Declaration(name, Kind.PUBLIC, None, place))


def test_files_of_an_enclave_elsewhere_are_meant_from_the_workspace(tmp_path):
    settings = load(written(tmp_path, REMOTE + 'token_file = "token"\nca_file = "/etc/ca.pem"\n'), {})
    place = settings.enclaves["wiki"].remote
    assert (place.token_file, place.ca_file) == (tmp_path / "token", Path("/etc/ca.pem"))


def test_an_enclave_of_several_servers_is_written_and_read(tmp_path: Path):
    one, two = Place("https://a.example", tmp_path / "a"), Place("https://b.example", tmp_path / "b")
    shared = replace(two, token_file=tmp_path / "a")
    for name, places in (("each", (one, two)), ("same", (one, shared)), ("open", (Place(one.url), Place(two.url)))):
        made = Declaration(name, Kind.PUBLIC, None, places[0], beside=places[1:])
        declare_remote(tmp_path, made)
        assert load(tmp_path, {}).enclaves[name] == made and made.places == places
    text = (tmp_path / FILE_NAME).read_text("utf-8")
    assert text.count('remote = ["https://a.example", "https://b.example"]') == 3
    with pytest.raises(SettingsError, match="some of the servers of mixed have a token"):
        declare_remote(tmp_path, Declaration("mixed", Kind.PUBLIC, None, one, beside=(Place(two.url),)))
    assert made.url == made.whose.removeprefix("at ") == "https://a.example, https://b.example"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (REMOTE + "token_file = 3\n", "enclaves.wiki.token_file"),
        (REMOTE + 'ca_file = ""\n', "enclaves.wiki.ca_file"),
        (REMOTE + 'plain = "yes"\n', "enclaves.wiki.plain"),
        ("[enclaves.wiki]\ntoken_file = 'x'\n", "enclaves.wiki.token_file"),
        ("[enclaves.wiki]\nremote = []\n", "enclaves.wiki.remote"),
        ("[enclaves.wiki]\nremote = ['https://a.example', '']\n", "enclaves.wiki"),
        ("[enclaves.wiki]\nremote = ['https://a.example', 'https://a.example/']\n", "enclaves.wiki.remote"),
        ("[enclaves.wiki]\nremote = 'https://a.example'\ntoken_file = ['a', 'b']\n", "enclaves.wiki.remote"),
        ("[enclaves.wiki]\nremote = 'ftp://wiki'\n", "enclaves.wiki.remote"),
        ("[enclaves.wiki]\nremote = 'http://wiki.example.org'\n", "enclaves.wiki.remote"),
        ("[remote]\ntimeout = 0\n", "remote.timeout"),
        ("[serve]\nport = 70000\n", "serve.port"),
    ],
)
def test_what_is_wrong_about_another_machine_is_named(tmp_path, text, path):
    with pytest.raises(SettingsError, match=path.replace(".", r"\.")):
        load(written(tmp_path, text), {})


def test_another_machine_is_sent_no_private_text_but_its_own_unless_said(tmp_path):
    declare(tmp_path, "mail", None)
    place = Place("https://crm.example.org")
    declare_remote(tmp_path, Declaration("crm", Kind.PRIVATE, None, place))
    declare_remote(tmp_path, Declaration("desk", Kind.PRIVATE, frozenset({"mail"}), place))
    declare_remote(tmp_path, Declaration("copy", Kind.MIRROR, None, place))
    table = load(tmp_path, {}).table()
    assert [table[name].admits for name in ("crm", "desk", "copy")] == [{"crm"}, {"desk", "mail"}, EVERYTHING]


def test_a_token_in_the_environment_is_no_setting():
    assert load(None, {"ANSWERABLE_TOKEN": "correct-horse-battery"}).serve.token_file is None
