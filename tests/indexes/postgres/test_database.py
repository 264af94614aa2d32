"""Who may look into an enclave is the database's to say, and what goes wrong there is said in a sentence."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import errors

from answerable.corpora.store import Store
from answerable.errors import EnclaveError, MissingExtraError, SettingsError, WorkspaceError
from answerable.indexes.enclave import open_enclave_index
from answerable.indexes.postgres import database as module
from answerable.indexes.postgres.database import claimed
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.types import Skill
from answerable.workspace.stores import StoreSettings, open_store
from tests.contracts.shared_store import refreshed
from tests.indexes.building import ENCODER
from tests.indexes.samples import put, remove
from tests.postgres import address, new_database

SECRET = "the quincunx of Ramsholt"


def login(database: str, name: str, *enclaves: str) -> str:
    """The address for a login that is a member of the roles of these enclaves."""
    socket, base = Path(urlsplit(database).query.removeprefix("host=")), urlsplit(database).path[1:]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f'CREATE ROLE "{base}-{name}" LOGIN'.encode())
        for enclave in enclaves:
            connection.execute(f'GRANT "answerable/{base}/{enclave}" TO "{base}-{name}"'.encode())
    return address(socket, base, f"{base}-{name}")


@pytest.fixture
def two(store: Store) -> Store:
    """`wiki` and `mail`, both indexed."""
    put(store, {"a": "a lamp", "b": "a reef"}, "wiki")
    put(store, {"c": SECRET}, "mail")
    for enclave in ("wiki", "mail"):
        refreshed(store, enclave)
    return store


def test_a_login_sees_the_enclaves_whose_roles_it_has_and_the_database_refuses_the_rest(
    two: Store, database: str, tmp_path: Path
) -> None:
    clerk = login(database, "clerk", "wiki")
    with open_store(tmp_path, StoreSettings(clerk)) as store:
        assert [held.enclave for held in store.enclaves()] == ["wiki"]
        assert store.document("mail", "c") is None and store.passages("mail", [f"c@0-{len(SECRET)}"]) == []
        assert open_enclave_index(store, tmp_path / "i", "wiki", ENCODER).search("lamp", None, "lexical", 3)
        put(store, {"d": "a new reef"}, "wiki")  # a member may index, and what it wrote is the enclave's
        remove(store, ["a"], "wiki")
        store.purge("wiki")
        with pytest.raises(WorkspaceError, match="does not let this login"):
            put(store, {"d": "new"}, "elsewhere")
    assert two.document("wiki", "d") is not None
    with psycopg.connect(clerk) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("SELECT text FROM answerable_mail.documents")


def test_each_search_is_made_in_the_role_of_its_enclave(two: Store) -> None:
    """So that even whoever may read all of them cannot reach one by way of another."""
    wiki = two.of("wiki") if isinstance(two, PostgresStore) else None
    assert isinstance(wiki, EnclaveStore)
    tables = [name for (name,) in wiki._all("SELECT tablename FROM pg_tables WHERE schemaname = 'answerable_mail'")]
    assert len(tables) > 15
    for table in tables:
        with pytest.raises(WorkspaceError, match="does not let this login") as caught:
            wiki._all(f"SELECT * FROM answerable_mail.{table}")
        assert SECRET not in str(caught.value)
    assert wiki._all(f"SELECT count(*) FROM {tables[0]}")


def test_who_may_read_alone_reads_and_writes_nothing(two: Store, database: str, tmp_path: Path) -> None:
    reader = login(database, "reader")
    user = urlsplit(reader).username
    with psycopg.connect(database, autocommit=True) as connection:
        for right in ("USAGE ON SCHEMA answerable_wiki", "SELECT ON ALL TABLES IN SCHEMA answerable_wiki"):
            connection.execute(f'GRANT {right} TO "{user}"'.encode())
    with open_store(tmp_path, StoreSettings(reader)) as store:
        assert store.document("wiki", "a") is not None and store.unpurged() == []
        assert open_enclave_index(store, tmp_path / "i", "wiki", ENCODER).search("lamp", None, "lexical", 3)
        with pytest.raises(WorkspaceError, match="does not let this login"):
            put(store, {"d": "new"}, "wiki")


def test_a_place_that_was_made_for_it_needs_no_right_to_make_more(two: Store, database: str, tmp_path: Path) -> None:
    clerk = login(database, "clerk")
    with psycopg.connect(database, autocommit=True) as connection:
        role = f'"answerable/{connection.info.dbname}/crm"'
        user = urlsplit(clerk).username
        for line in (
            f"CREATE ROLE {role}",
            f'GRANT {role} TO "{user}"',
            f"CREATE SCHEMA answerable_crm AUTHORIZATION {role}",
        ):
            connection.execute(line.encode())
    with open_store(tmp_path, StoreSettings(clerk)) as store:
        put(store, {"a": "a customer"}, "crm")
        assert [held.enclave for held in store.enclaves()] == ["crm"]


def test_an_owner_of_a_database_who_rules_nothing_else_can_make_enclaves(database: str, tmp_path: Path) -> None:
    owner = login(database, "owner")
    user, base = urlsplit(owner).username, urlsplit(database).path[1:]
    with psycopg.connect(database, autocommit=True) as connection:
        made = (
            f'ALTER ROLE "{user}" CREATEROLE',
            f'ALTER DATABASE {base} OWNER TO "{user}"',
            "CREATE EXTENSION vector",
        )
        for line in made:
            connection.execute(line.encode())
    with open_store(tmp_path, StoreSettings(owner)) as store:
        put(store, {"a": "a lamp"}, "wiki")
        assert refreshed(store, "wiki").search("lamp", None, "lexical", 1) and store.enclaves()[0].passages == 1


def test_tables_are_brought_up_to_date_and_those_of_a_later_version_refused(
    two: Store, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, "CREATE TABLE news (line text)"))
    with open_store(tmp_path, StoreSettings(database)) as store:
        wiki = store.of("wiki") if isinstance(store, PostgresStore) else None
        assert isinstance(wiki, EnclaveStore) and wiki._all("SELECT * FROM news") == []
    monkeypatch.undo()
    with open_store(tmp_path, StoreSettings(database)) as store, pytest.raises(WorkspaceError, match="has format 2"):
        store.holdings("wiki")


def test_an_address_holds_no_password_and_is_of_postgres(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for url in ("postgresql://me:secret@host/base", "postgresql:///base?password=secret", "mysql://host/base"):
        with pytest.raises(SettingsError, match=r"store\.url") as caught:
            StoreSettings(url)
        assert "secret" not in str(caught.value)
    monkeypatch.setitem(__import__("sys").modules, "answerable.indexes.postgres.store", None)
    with pytest.raises(MissingExtraError):
        open_store(tmp_path, StoreSettings("postgresql://host/base"))


def test_what_is_wrong_with_a_database_is_said_in_a_sentence(postgres: Path, database: str, tmp_path: Path) -> None:
    for url in (address(tmp_path, "base"), address(postgres, "nobody")):
        with pytest.raises(WorkspaceError, match="cannot be reached"):
            open_store(tmp_path, StoreSettings(url))
    with open_store(tmp_path, StoreSettings(database)) as store:
        with pytest.raises(EnclaveError, match="too long"):
            put(store, {"a": "text"}, "e" * 60)
        put(store, {"a": SECRET}, "wiki")
        with psycopg.connect(database) as connection:
            connection.execute("DROP TABLE answerable_wiki.fields")
        with pytest.raises(WorkspaceError, match=r"cannot be used \(42P01\)") as caught:
            put(store, {"b": SECRET}, "wiki")
        assert SECRET not in str(caught.value)


def test_what_was_edited_behind_the_back_is_not_read(two: Store, database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE answerable_mail.documents SET text = 'the quincunx of Rumsholt'")
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        two.document("mail", "c")
    assert [*two.faults("mail")] and [*two.faults("wiki")] == []


def test_an_enclave_of_another_server_is_asked_by_foreign_tables_and_not_written(
    two: Store, database: str, postgres: Path, tmp_path: Path
) -> None:
    here, there = new_database(postgres), urlsplit(database).path[1:]
    with psycopg.connect(address(postgres, here), autocommit=True) as connection:
        for line in (
            *(f"CREATE EXTENSION {name}" for name in ("postgres_fdw", "vector", "fuzzystrmatch")),
            f"CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{postgres}', dbname '{there}')",
            "CREATE USER MAPPING FOR CURRENT_USER SERVER there OPTIONS (user 'postgres', password_required 'false')",
            "CREATE SCHEMA answerable_wiki",
            "IMPORT FOREIGN SCHEMA answerable_wiki FROM SERVER there INTO answerable_wiki",
        ):
            connection.execute(line.encode())
    with open_store(tmp_path, StoreSettings(address(postgres, here))) as store:
        asked = "lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "hybrid", 3
        found = [open_enclave_index(one, tmp_path / "i", "wiki", ENCODER).search(*asked) for one in (store, two)]
        assert found[0] == found[1] != []
        with pytest.raises(WorkspaceError):
            put(store, {"d": "new"}, "wiki")


def test_a_claim_is_of_one_and_goes_with_who_had_it(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as one, psycopg.connect(database, autocommit=True) as other:
        with claimed(one, "file", wait=False) as mine, claimed(other, "file", wait=False) as theirs:
            assert (mine, theirs) == (True, False)
        with claimed(one, "file", wait=False) as mine:
            assert mine
            one.close()
            with claimed(other, "file", wait=True) as theirs:
                assert theirs
