"""Whom a verification believes: the table of frozen roots, the root that a tag had before, a signature.

A manifest proves that files belong together; anyone can write another one for other rows. `releases/ROOTS` says what a
name and version stand for, and only grows. A signature says who vouches: an in-toto statement (recipe, commit, builder)
about the sha256 of the manifest, in the bundle that Sigstore and OpenSSF model-signing write for keys of one's own.
"""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from carrara import __version__
from carrara.engine.files import in_turn, write_bytes
from carrara.errors import ProofError, ReleaseError, library
from carrara.release.manifest import PROVENANCE, canonical, manifest_bytes
from carrara.release.provenance import Provenance
from carrara.release.reader import Release, open_release, parsed_json
from carrara.release.schema import SIGNATURE, is_name, is_version, shown
from carrara.release.verify import verify
from carrara.row import canonical_json

ROOTS: Final = "ROOTS"
_SEEN: Final = "roots-seen"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES: Final = 1024 * 1024
_PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_BUNDLE: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
# The hash that Sigstore sets for a curve.
_CURVES: Final = {"secp256r1": "SHA256", "secp384r1": "SHA384", "secp521r1": "SHA512"}
_ASK: Final = "Do not use this copy: ask those who published it, by another way than they published it."


class Identity(NamedTuple):
    """What a name stands for: the release root (the rows), and the sha256 of the manifest (every byte)."""

    root: str
    manifest: str


def identity(release: Release) -> Identity:
    """What a release is, by its manifest as it was read: `verify` refuses a file that says the same in other bytes."""
    return Identity(release.root, hashlib.sha256(manifest_bytes(release.manifest)).hexdigest())


# --- the table of frozen roots ----------------------------------------------------------------------------------------


def frozen_roots(releases: Path) -> dict[tuple[str, str], Identity]:
    """`ROOTS` of a folder of frozen releases by name and version; empty where there is none. Raises ReleaseError."""
    found: dict[tuple[str, str], Identity] = {}
    for number, line in enumerate(_lines(releases / ROOTS), start=1):
        match line.split(" "):
            case [name, version, *known] if is_name(name) and is_version(version) and (name, version) not in found:
                found[name, version] = _identity(known, releases / ROOTS, number)
            case _:
                raise _damaged(releases / ROOTS, number)
    return found


def note_root(release: Release, releases: Path) -> bool:
    """Add the line of a release that was frozen; False where it stands. Raises ReleaseError on another one."""
    with in_turn(releases, "freeze"):
        known, got = frozen_roots(releases).get((release.name, release.version)), identity(release)
        if known not in (None, got):
            told = f"{releases / ROOTS} has another root or manifest of {release.name}@{release.version}"
            raise ReleaseError(told, "A line is never changed: restore the file from version control.")
        if known is None:
            _append(releases / ROOTS, f"{release.name} {release.version} {got.root} {got.manifest}")
    return known is None


def check_against(release: Release, releases: Path) -> str:
    """Raise ProofError where a release is not what `ROOTS` has under its name; else return a line that says so."""
    named = f"{release.name}@{release.version}"
    if (known := frozen_roots(releases).get((release.name, release.version))) is None:
        raise ProofError(f"{releases / ROOTS} has no line for {shown(named)}, expected one", _ASK)
    _refuse_other(identity(release), known, f"{release.place.label} is not {named} as {releases / ROOTS} has it", _ASK)
    return f"It is {named} as {releases / ROOTS} has it."


# --- what a tag was before --------------------------------------------------------------------------------------------


def check_seen(address: str, release: Release, folder: Path, remember: bool = True) -> str:
    """Remember what an address on the Hub holds, or raise ProofError where it held something else before.

    Returns a line for a user on the first time, else "". Only what was verified is to be remembered.
    """
    file, got = folder / _SEEN, identity(release)
    with in_turn(folder, "verify"):
        for number, line in enumerate(_lines(file), start=1):
            where, *known = line.split(" ")
            if where == address:
                before = _identity(known, file, number)
                hint = f"If you know why it changed, delete line {number} of {file}."
                _refuse_other(got, before, f"{address} is not what it was: its tag was moved", f"{_ASK} {hint}")
                return ""
        if not remember:
            return ""
        _append(file, f"{address} {got.root} {got.manifest}")
    return f"First seen here: {file} remembers its root, and a tag that moves is told."


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    if file.stat().st_size > _MAX_BYTES:
        raise ReleaseError(f"{file} is longer than {_MAX_BYTES:,} bytes", "Restore it, or delete it if it is yours.")
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ReleaseError(f"{file} is not UTF-8, expected text", "Restore it, or delete it if it is yours.") from error


def _append(file: Path, line: str) -> None:
    write_bytes(file, "".join(f"{one}\n" for one in [*_lines(file), line]).encode())


def _identity(known: list[str], file: Path, number: int) -> Identity:
    if len(known) != 2 or not all(map(_HASH.fullmatch, known)):
        raise _damaged(file, number)
    return Identity(*known)


def _damaged(file: Path, number: int) -> ReleaseError:
    told = f"{file}, line {number}: expected what it is of, a root and a sha256, once each"
    return ReleaseError(told, "Restore it from version control, or delete it if it is yours.")


def _refuse_other(got: Identity, expected: Identity, told: str, hint: str) -> None:
    if got == expected:
        return
    rows = "other rows" if got.root != expected.root else "the same rows, other files"
    was = f"got root {got.root}, manifest {got.manifest}; expected root {expected.root}, manifest {expected.manifest}"
    raise ProofError(f"{told}: {rows} ({was})", hint)


# --- signatures -------------------------------------------------------------------------------------------------------


def sign(folder: Path, key: Path) -> str:
    """Verify a release, sign its manifest, and return the sha256 of the public key. Raises ReleaseError."""
    report = verify(folder)
    if not report.is_good:
        told = "; ".join(problem.message for problem in report.problems[:3])
        raise ReleaseError(f"{folder} does not verify: {told}", "Sign the release as it was built.")
    release, private = open_release(folder), _private_key(key)
    payload = canonical(_statement(release))
    public = _public_pem(private.public_key())
    bundle = {
        "mediaType": _BUNDLE,
        "verificationMaterial": {"publicKey": {"hint": hashlib.sha256(public).hexdigest()}, "tlogEntries": []},
        "dsseEnvelope": {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": _PAYLOAD_TYPE,
            "signatures": [
                {"sig": base64.b64encode(private.sign(_pae(payload), _ecdsa(private))).decode(), "keyid": ""}
            ],
        },
    }
    write_bytes(folder / SIGNATURE, canonical(bundle))
    return hashlib.sha256(public).hexdigest()


def check_signature(release: Release, signer: Path) -> str:
    """Raise ProofError unless a release is signed by the holder of a key; else return a line that says by whom.

    `signer` is a PEM file, a public key or the holder's own certificate: no authority and no date is looked at.
    """
    public = _public_key(signer)
    if not release.place.has(SIGNATURE):
        raise ProofError(f"{release.place.label} has no {SIGNATURE}, expected a signature", _ASK)
    try:
        envelope = parsed_json(release.small_file(SIGNATURE, _MAX_BYTES), SIGNATURE)["dsseEnvelope"]
        payload, signed = (base64.b64decode(one) for one in (envelope["payload"], envelope["signatures"][0]["sig"]))
        if envelope["payloadType"] != _PAYLOAD_TYPE:
            raise ValueError("payloadType")
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ProofError(f"{SIGNATURE} is no bundle of one signed statement ({shown(str(error))})", _ASK) from error
    try:
        public.verify(signed, _pae(payload), _ecdsa(public))
    except library("cryptography.exceptions", "sign").InvalidSignature as error:
        raise ProofError(f"{SIGNATURE} is not by the holder of {signer}: another key, or another text", _ASK) from error
    # From here on the signer's own words are read: those of another release, or of an earlier manifest.
    stated = parsed_json(payload, f"the statement in {SIGNATURE}")
    expected = _subject(release)
    if not isinstance(stated, dict) or stated.get("subject") != expected:
        got = shown(json.dumps(stated.get("subject") if isinstance(stated, dict) else stated))
        told = f"{SIGNATURE} is of {got}, expected {canonical_json(expected)}"
        raise ProofError(f"{told}: the manifest was replaced, or the signature is another release's", _ASK)
    return f"Signed by the holder of {signer} (sha256 of the key {hashlib.sha256(_public_pem(public)).hexdigest()})."


def _subject(release: Release) -> list[Any]:
    return [{"name": f"{release.name}@{release.version}", "digest": {"sha256": identity(release).manifest}}]


def _statement(release: Release) -> Any:
    """An in-toto statement with a SLSA provenance: the recipe, the commit where it is known, the builder."""
    made = Provenance.read(release.small_file(PROVENANCE)) if release.place.has(PROVENANCE) else Provenance()
    commit = made.code.commit if made.code and made.code.dirty is False else None
    recipe = {"name": release.name, "version": release.version, "sha256": release.content.recipe_fingerprint}
    code = [{"name": "carrara", "digest": {"gitCommit": commit}}] if commit else []
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": _subject(release),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:carrara:build:1",
                "externalParameters": {"recipe": recipe, "root": release.root},
                "resolvedDependencies": code,
            },
            "runDetails": {"builder": {"id": f"urn:carrara:{made.carrara or __version__}"}},
        },
    }


def _pae(payload: bytes) -> bytes:
    """What DSSE signs: type and text with their lengths."""
    return f"DSSEv1 {len(_PAYLOAD_TYPE)} {_PAYLOAD_TYPE} {len(payload)} ".encode() + payload


def _private_key(file: Path) -> Any:
    keys = library("cryptography.hazmat.primitives.serialization", "sign")
    try:
        return _checked(keys.load_pem_private_key(file.read_bytes(), None), file, "private")
    except TypeError as error:
        raise ReleaseError(f"{file} is encrypted, expected a plain private key", f"openssl ec -in {file}") from error
    except ValueError as error:
        hint = "openssl ecparam -name prime256v1 -genkey -noout -out key.pem"
        raise ReleaseError(f"{file} is no private key in PEM, expected one of an elliptic curve", hint) from error


def _public_key(file: Path) -> Any:
    try:
        raw = file.read_bytes()
        if b"BEGIN CERTIFICATE" in raw:
            found = library("cryptography.x509", "sign").load_pem_x509_certificate(raw).public_key()
        else:
            found = library("cryptography.hazmat.primitives.serialization", "sign").load_pem_public_key(raw)
    except ValueError as error:
        hint = "openssl ec -in key.pem -pubout -out key.pub"
        raise ReleaseError(f"{file} is no public key or certificate in PEM, expected one", hint) from error
    return _checked(found, file, "public")


def _checked(key: Any, file: Path, kind: str) -> Any:
    if getattr(getattr(key, "curve", None), "name", "") not in _CURVES:
        told = f"{file} holds a {kind} key of another kind, expected one of {', '.join(_CURVES)}"
        raise ReleaseError(told, "openssl ecparam -name prime256v1 -genkey -noout -out key.pem")
    return key


def _ecdsa(key: Any) -> Any:
    hashes = library("cryptography.hazmat.primitives.hashes", "sign")
    elliptic = library("cryptography.hazmat.primitives.asymmetric.ec", "sign")
    return elliptic.ECDSA(getattr(hashes, _CURVES[key.curve.name])())


def _public_pem(key: Any) -> bytes:
    forms = library("cryptography.hazmat.primitives.serialization", "sign")
    return bytes(key.public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo))
