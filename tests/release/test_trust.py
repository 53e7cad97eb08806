"""Trust: the table of roots is true and only grows, a moved tag is told, a signature is of one key and release."""

import base64
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from folders import RELEASES, ROOT
from rebuild import FROZEN
from toys import tasks, toy_recipe, write_release

from carrara.engine.code import git
from carrara.errors import ProofError, ReleaseError
from carrara.making.reproduce import missing_history
from carrara.release.reader import open_release
from carrara.release.schema import SIGNATURE
from carrara.release.trust import (
    ROOTS,
    check_against,
    check_seen,
    check_signature,
    frozen_roots,
    identity,
    note_root,
    sign,
)
from carrara.release.verify import verify

__all__ = ["tasks"]


def test_the_table_of_roots_is_that_of_the_frozen_releases():
    table = {f"{name}@{version}": known for (name, version), known in frozen_roots(RELEASES).items()}
    assert table == {name: identity(open_release(folder)) for name, folder in FROZEN.items()}


@pytest.mark.skipif(bool(missing_history()), reason=missing_history())
def test_the_table_of_roots_only_grows():
    path = f"releases/{ROOTS}"
    commits = git(ROOT, "log", "--reverse", "--format=%H", "--", path).split()
    states = [git(ROOT, "show", f"{commit}:{path}").splitlines() for commit in commits]
    states.append((ROOT / path).read_text().splitlines())
    for before, after in pairwise(states):
        assert after[: len(before)] == before


@pytest.fixture
def toys(tasks, tmp_path) -> Path:
    return write_release(tmp_path / "toys", toy_recipe())


@pytest.fixture
def other(tasks, tmp_path) -> Path:
    """Another release under the same name and version."""
    return write_release(tmp_path / "other", toy_recipe(questions=6))


def test_a_release_is_held_to_its_line(toys, other, tmp_path):
    releases = tmp_path / "releases"
    releases.mkdir()
    with pytest.raises(ProofError, match=r"has no line for 'toys@1\.0\.0'"):
        check_against(open_release(toys), releases)
    assert note_root(open_release(toys), releases) and not note_root(open_release(toys), releases)
    assert "It is toys@1.0.0" in check_against(open_release(toys), releases)
    with pytest.raises(ProofError, match="other rows"):
        check_against(open_release(other), releases)
    with pytest.raises(ReleaseError, match="another root"):
        note_root(open_release(other), releases)
    card = write_release(tmp_path / "card", toy_recipe(), "# Other card\n")
    with pytest.raises(ProofError, match="the same rows, other files"):
        check_against(open_release(card), releases)


@pytest.mark.parametrize(
    "line", ["toys 1.0.0", "toys 1.0.0 a b", "../x 1.0.0 {0} {0}", "t 1 {0} {0}", "", "t 1.0.0 {0} {0}\n" * 2]
)
def test_a_damaged_table_is_refused(tmp_path, line):
    (tmp_path / ROOTS).write_text(line.format("0" * 64) + "\n")
    with pytest.raises(ReleaseError, match="line"):
        frozen_roots(tmp_path)


def test_a_tag_that_moved_is_told(toys, other, tmp_path):
    where, state = "hf://lab/toys@1.0.0", tmp_path / "state"
    state.mkdir()
    assert "First seen" in check_seen(where, open_release(toys), state)
    assert check_seen(where, open_release(toys), state) == ""
    for _ in range(2):  # What is refused is not remembered.
        with pytest.raises(ProofError, match=r"tag was moved: other rows") as caught:
            check_seen(where, open_release(other), state)
    assert "delete line 1 of" in caught.value.hint
    assert check_seen("hf://lab/else@1.0.0", open_release(other), state)


# --- signatures -------------------------------------------------------------------------------------------------------


@pytest.fixture
def keys(tmp_path):
    """Makes a private key of a curve; returns its file, that of the public key, and that of a certificate."""
    pytest.importorskip("cryptography", reason="the extra sign is not installed")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric import ec

    def make(name: str, curve=ec.SECP256R1, password: bytes = b"") -> tuple[Path, Path, Path]:
        key = ec.generate_private_key(curve())
        files = tuple(tmp_path / f"{name}.{kind}" for kind in ("pem", "pub", "crt"))
        how = forms.BestAvailableEncryption(password) if password else forms.NoEncryption()
        files[0].write_bytes(key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, how))
        public = key.public_key()
        files[1].write_bytes(public.public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo))
        named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        made = x509.CertificateBuilder().subject_name(named).issuer_name(named).public_key(public).serial_number(1)
        made = made.not_valid_before(now).not_valid_after(now + timedelta(days=1))
        files[2].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(forms.Encoding.PEM))
        return files

    make.curves = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
    make.other_curve = ec.SECP256K1
    return make


def test_a_signature_is_by_one_key_and_leaves_the_release_good(toys, keys, tmp_path):
    for number, curve in enumerate(keys.curves):
        private, public, certificate = keys(f"k{number}", curve)
        hint = sign(toys, private)
        for signer in (public, certificate):
            assert hint in check_signature(open_release(toys), signer)
    assert verify(toys, "rows").is_good
    stranger = keys("stranger")[1]
    with pytest.raises(ProofError, match="not by the holder"):
        check_signature(open_release(toys), stranger)
    (toys / SIGNATURE).unlink()
    with pytest.raises(ProofError, match="expected a signature"):
        check_signature(open_release(toys), public)


def test_a_signature_holds_for_one_manifest(toys, other, keys):
    private, public, _ = keys("k")
    sign(toys, private)
    shutil.copy(toys / SIGNATURE, other)
    with pytest.raises(ProofError, match="manifest was replaced"):
        check_signature(open_release(other), public)


def test_the_statement_says_what_made_the_release_and_openssl_agrees(toys, keys, tmp_path):
    private, public, _ = keys("k")
    sign(toys, private)
    envelope = json.loads((toys / SIGNATURE).read_text())["dsseEnvelope"]
    payload = base64.b64decode(envelope["payload"])
    stated = json.loads(payload)
    assert stated["predicate"]["buildDefinition"]["externalParameters"]["root"] == open_release(toys).root
    signed, sig = tmp_path / "signed", tmp_path / "sig"
    # DSSE, written out: https://github.com/secure-systems-lab/dsse/blob/v1.0.0/protocol.md
    signed.write_bytes(b"DSSEv1 28 application/vnd.in-toto+json %d " % len(payload) + payload)
    sig.write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    words = ["openssl", "dgst", "-sha256", "-verify", public, "-signature", sig, signed]
    if shutil.which("openssl"):
        assert b"Verified OK" in subprocess.run(words, check=True, capture_output=True).stdout


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"dsseEnvelope": {"payload": "é", "signatures": []}}', '{"dsseEnvelope": 1}', "null"]
)
def test_a_hostile_bundle_is_refused(toys, keys, text):
    (toys / SIGNATURE).write_text(text)
    with pytest.raises(ProofError, match="no bundle"):
        check_signature(open_release(toys), keys("k")[1])


def test_a_changed_statement_is_refused(toys, keys):
    private, public, _ = keys("k")
    sign(toys, private)
    bundle = json.loads((toys / SIGNATURE).read_text())
    payload = base64.b64decode(bundle["dsseEnvelope"]["payload"]).replace(b"toys@1.0.0", b"toys@1.0.1")
    bundle["dsseEnvelope"]["payload"] = base64.b64encode(payload).decode()
    (toys / SIGNATURE).write_text(json.dumps(bundle))
    with pytest.raises(ProofError, match="not by the holder"):
        check_signature(open_release(toys), public)


def test_what_is_no_key_is_refused_in_a_sentence(toys, keys, tmp_path):
    private, public, _ = keys("k")
    for file, told in (
        (public, "no private key"),
        (keys("secret", password=b"word")[0], "encrypted"),
        (keys("odd", keys.other_curve)[0], "another kind"),
    ):
        with pytest.raises(ReleaseError, match=told):
            sign(toys, file)
    with pytest.raises(ReleaseError, match="no public key"):
        check_signature(open_release(toys), private)
    (toys / "README.md").write_text("altered")
    with pytest.raises(ReleaseError, match="does not verify"):
        sign(toys, private)
    assert not (toys / SIGNATURE).exists()
