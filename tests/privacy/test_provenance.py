"""Models that were trained on private text are as private as it."""

import pytest

from answerable.errors import EnclaveError, UsageError
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.flow import decide, first_query
from answerable.privacy.provenance import PUBLIC_TRAINING, TrainingProvenance
from answerable.types import Asker, Privacy

TABLE = EnclaveTable([public("wiki"), mirror("copy"), private("mail"), private("clinic", admits=[])])
MAIL = frozenset({"mail"})


def sent(taught: TrainingProvenance) -> list[str]:
    """The enclaves that a question may be sent to."""
    query = taught.asked(first_query("q", Asker(), Privacy.DOCUMENT, TABLE), TABLE)
    return [name for name, enclave in TABLE.items() if decide(query, enclave, Privacy.DOCUMENT).allowed]


def test_a_query_carries_what_its_encoder_was_taught() -> None:
    """Its vector, and which query comes next, tell of that text: it goes only where the text may go."""
    assert sent(PUBLIC_TRAINING) == sent(TrainingProvenance(reader=MAIL)) == ["copy", "wiki", "clinic", "mail"]
    assert sent(TrainingProvenance(encoder=MAIL)) == ["copy", "mail"]


@pytest.mark.parametrize("taught", [TrainingProvenance(encoder=MAIL), TrainingProvenance(reader=MAIL)])
def test_who_may_not_read_the_text_may_not_ask_the_model(taught: TrainingProvenance) -> None:
    for cleared in (None, {"wiki", "mail"}):
        asker = Asker("me", None if cleared is None else frozenset(cleared))
        assert taught.asked(first_query("q", asker, Privacy.NONE, TABLE), TABLE).label == taught.encoder
    guest = Asker("guest", frozenset({"wiki"}))
    with pytest.raises(UsageError, match="trained on text of mail, which guest may not read"):
        taught.asked(first_query("q", guest, Privacy.NONE, TABLE), TABLE)
    with pytest.raises(EnclaveError, match="'mail', which is no enclave here"):
        taught.asked(first_query("q", Asker(), Privacy.NONE, TABLE), EnclaveTable([public("wiki")]))


def test_an_enclave_is_not_served_with_an_encoder_taught_by_another() -> None:
    TrainingProvenance(encoder=MAIL).check_served(TABLE["mail"])
    TrainingProvenance(reader=MAIL).check_served(TABLE["wiki"])  # nothing is read for others
    with pytest.raises(UsageError, match="text of mail, of which those who search wiki would learn"):
        TrainingProvenance(encoder=MAIL).check_served(TABLE["wiki"])
