"""Scorers of local models. The models are made here, so no network and no file of another's is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from searchlog.errors import UsageError
from searchlog.extract.pool import InProcess
from searchlog.models import load as loading
from searchlog.models.load import load
from searchlog.records import Query
from searchlog.replay import replay
from tests.searches import ask, bodies, check_clean, opened, pages
from tests.sites import serve

WORDS = ["[UNK]", "[PAD]", "bridge", "opened", "tide", "mill", "in", "1932", "the"]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """`load` tells the libraries to stay offline, which a test must not leave behind."""
    for name in loading._OFFLINE:
        monkeypatch.setenv(name, "0")


@pytest.fixture
def static_model(tmp_path: Path) -> Path:
    """A folder with a model whose every word has an axis of its own."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    numpy = pytest.importorskip("numpy")
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    model = model2vec.StaticModel(numpy.eye(len(WORDS), dtype="float32"), tokenizer)
    folder = tmp_path / "tiny"
    model.save_pretrained(str(folder))
    return folder


def test_static_vectors_score_what_shares_the_query_s_words(static_model: Path) -> None:
    scorer = load(f"static:{static_model}")
    near, same, far = scorer.score("bridge opened", ["bridge in 1932", "bridge opened", "tide mill"])
    assert same == pytest.approx(1.0)
    assert 0.0 < near < same
    assert far == pytest.approx(0.0)
    assert scorer.score("bridge", []) == []


def test_name_says_model_digest_and_library(static_model: Path) -> None:
    name = load(f"static:{static_model}").name
    assert name.startswith("static:tiny@")
    assert "/model2vec-" in name
    assert " " not in name
    (static_model / "config.json").write_text((static_model / "config.json").read_text() + " ")
    assert load(f"static:{static_model}").name != name


def test_name_is_one_word_whatever_the_folder_is_called(static_model: Path) -> None:
    """It stands in the rule of a step, where the next number begins after a blank."""
    folder = static_model.rename(static_model.with_name("my  own model"))
    assert load(f"static:{folder}/").name.startswith("static:my_own_model@")


def test_nothing_is_fetched(static_model: Path) -> None:
    load(f"static:{static_model}")
    assert all(os.environ[name] == "1" for name in loading._OFFLINE)


def test_model_that_is_not_in_the_local_cache_is_said_with_how_to_get_it() -> None:
    pytest.importorskip("model2vec", reason="model2vec is not installed")
    with pytest.raises(UsageError, match=r"nothing is downloaded; fetch it yourself .*hf download owner/no-model"):
        load("static:owner/no-model")


@pytest.mark.parametrize("where", ["/no/such/folder", "./nor/this", "~/nor-this", "nor-this", "a/b/c"])
def test_missing_folder_is_said_and_not_to_be_downloaded(where: str) -> None:
    """No client of a hub knows a path: nobody is sent to fetch one there."""
    pytest.importorskip("model2vec", reason="model2vec is not installed")
    with pytest.raises(UsageError) as told:
        load(f"static:{where}")
    assert str(told.value) == f"no model for scorer 'static:{where}': there is no folder {where}"


def test_folder_without_a_model_is_said(tmp_path: Path) -> None:
    pytest.importorskip("model2vec", reason="model2vec is not installed")
    with pytest.raises(UsageError, match="holds no model"):
        load(f"static:{tmp_path}")


@pytest.mark.parametrize("spec", ["", "static", "static:", "other:/x", "/path/only"])
def test_other_specification_is_refused_and_the_kinds_are_named(spec: str) -> None:
    with pytest.raises(UsageError, match="expected one of static:FOLDER"):
        load(spec)


@pytest.mark.parametrize(("kind", "extra"), [("static", "static"), ("vectors", "encoders"), ("cross", "encoders")])
def test_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch, kind: str, extra: str) -> None:
    def without(name: str, *rest: Any) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(loading, "import_module", without)
    with pytest.raises(UsageError, match=rf"pip install 'searchlog\[{extra}\]'"):
        load(f"{kind}:/anywhere")


@pytest.fixture
def network_model(tmp_path: Path) -> Any:
    """Make a folder with a network of one layer and numbers by chance."""
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")

    def make(architecture: str, **options: Any) -> Path:
        words = tmp_path / "vocab.txt"
        words.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS[2:]]))
        torch.manual_seed(1)
        config = transformers.BertConfig(
            vocab_size=12,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=64,
            **options,
        )
        folder = tmp_path / architecture
        getattr(transformers, architecture)(config).save_pretrained(folder)
        transformers.BertTokenizer(str(words)).save_pretrained(folder)
        return folder

    return make


def test_sentence_encoder_gives_cosines(network_model: Any) -> None:
    scorer = load(f"vectors:{network_model('BertModel')}")
    scores = scorer.score("bridge opened", ["bridge opened", "tide mill"])
    assert scores[0] == pytest.approx(1.0, abs=1e-5)
    assert -1.0 <= scores[1] < scores[0]
    assert scorer.score("bridge", []) == []


def test_cross_encoder_gives_shares(network_model: Any) -> None:
    scorer = load(f"cross:{network_model('BertForSequenceClassification', num_labels=1)}")
    scores = scorer.score("bridge opened", ["bridge opened", "tide mill"])
    assert len(scores) == 2
    assert all(0.0 < score < 1.0 for score in scores)


def test_cross_encoder_of_several_numbers_is_refused(network_model: Any) -> None:
    folder = network_model("BertForSequenceClassification", num_labels=3)
    with pytest.raises(UsageError, match="3 numbers for a pair"):
        load(f"cross:{folder}")


# --- in a search


class Gates:
    """A model that looks for gates."""

    def __init__(self, name: str = "gates/1") -> None:
        self.name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [float("gate" in text) for text in texts]


def there(monkeypatch: pytest.MonkeyPatch, scorer: Gates | None) -> None:
    """Let this be the model that any specification loads; None, none at all."""

    def loaded(spec: str) -> Gates:
        if scorer is None:
            raise UsageError(f"no model for scorer {spec!r}")
        return scorer

    monkeypatch.setattr(loading, "_loaded", loaded)


def test_model_ranks_and_the_log_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, Gates())
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        plain = ask(session, site, "tide mill", ["/mill", "/gate"])
        search = ask(session, site, "tide mill", ["/mill", "/gate"], scorer="static:/gates")
        ranks = {s.turn: next(step.rule for step in s.steps if step.name == "rank") for s in (plain, search)}
        assert "scorer=gates/1 " in ranks[search.turn]
        assert "scorer" not in ranks[plain.turn]
        assert [e.score for e in search.evidence] != [e.score for e in plain.evidence]
        assert bodies(session, Query, search.turn)[0].policy["scorer"] == "static:/gates"
        assert "scorer" not in bodies(session, Query, plain.turn)[0].policy
        check_clean(session)


def test_search_replays_with_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    there(monkeypatch, Gates())
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "tide mill", ["/mill", "/gate"], scorer="static:/gates")
        assert replay(session.ledger, search.turn, InProcess()).equal


@pytest.mark.parametrize("now", [None, Gates("gates/2")], ids=["gone", "another"])
def test_replay_without_the_model_is_not_checked_and_never_altered(
    monkeypatch: pytest.MonkeyPatch, now: Gates | None
) -> None:
    """It was a usage error, with no word of the turn's recorded digest."""
    there(monkeypatch, Gates())
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        search = ask(session, site, "tide mill", ["/mill", "/gate"], scorer="static:/gates")
        there(monkeypatch, now)
        made = replay(session.ledger, search.turn, InProcess())
        assert (made.outcome, made.equal, made.found) == ("not checked", False, None)
        assert made.not_checked is not None
        assert made.not_checked.startswith("the passages were ranked with gates/1")
        told = made.to_json()
        assert (told["outcome"], told["equal"], told["differences"]) == ("not checked", None, [])
        check_clean(session)


def test_model_that_is_not_there_is_told_before_anybody_is_asked() -> None:
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        with pytest.raises(UsageError, match="expected one of static:FOLDER"):
            ask(session, site, "tide mill", ["/mill"], scorer="magic:/x")
        assert bodies(session, Query) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (FileNotFoundError("not in the cache"), "neither a folder nor in the local cache"),
        (ConnectionError("offline"), "neither a folder nor in the local cache"),
        (ValueError("no such name"), "neither a folder nor in the local cache"),
        (PermissionError("denied"), "cannot be read"),
    ],
)
def test_a_cache_that_cannot_be_read_is_not_a_model_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=fail))
    with pytest.raises(UsageError, match=said):
        loading._folder("static:someone/model", "someone/model")


def test_a_client_of_the_cache_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UsageError, match="the local cache cannot be asked"):
        loading._folder("static:someone/model", "someone/model")


def test_a_defect_of_the_client_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AttributeError("a defect")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=fail))
    with pytest.raises(AttributeError):
        loading._folder("static:someone/model", "someone/model")
