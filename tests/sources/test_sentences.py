"""Sentences: the boundaries, and that nothing is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.errors import SourceError
from carrara.sources import sentences
from carrara.sources.document import tidy
from carrara.sources.sentences import MAX_CHARACTERS, split
from carrara.text.sentences import SHA256

JOINT = {"en": " ", "zh": ""}
PIECES = st.lists(
    st.sampled_from(
        [
            *"abAB .?!,;:\"'“”‘’()-_—…。！？．，；：、「」『』`5１",
            "Mr. ",
            "word ",
            "天地",
            "玄黄。",
            "…… ",
            ". . . ",
            "7.5",
            "\U00020000",
        ]
    )
    | st.characters(),
    max_size=60,
).map(lambda pieces: tidy("".join(pieces)))


@pytest.mark.parametrize("lang", ["en", "zh"])
@settings(deadline=None)
@given(text=PIECES | PIECES.map(lambda text: tidy(text * 40)))
def test_sentences_join_to_their_paragraph(lang, text):
    found = split(text, lang)
    assert JOINT[lang].join(found) == text
    assert all(sentence == sentence.strip() and sentence for sentence in found)
    has_letter = [any(character.isalpha() for character in sentence) for sentence in found]
    assert len(found) <= 1 or all(has_letter)


def test_a_paragraph_that_is_not_tidy_is_refused():
    for text in (" a", "a  b", "a\nb"):
        with pytest.raises(ValueError, match="tidied"):
            split(text, "en")
    assert split("", "en") == split("", "zh") == []


# "|" marks the boundaries.
@pytest.mark.parametrize(
    "text",
    [
        "He came.|She went.|They met.",
        "Mr. Jones and Dr. Archie met Mrs. St. Clair.|They spoke.",
        '"What is it?" said he.|"Nothing!" cried Ann.|"No."',
        "“What is it?” said he.|“Nothing!” cried Ann.|“No.”",
        "‘Mr. Dick,’ said my aunt.|‘Mr. Micawber is here.’",
        "J. R. Smith of T. Road came at 7.30 in the morning.|It was No. 5.|No.|He was late.",
        "It was I.|Then he left.",
        "He stopped--he could not go on.--Then he went.",
        "She waited . . . and waited.|Then . . . nothing.",
        "(He was old.)|She was not.",
        "It was over.|Done.",
        "The Rev. Mr. Lee, Capt. Ball and Prof. Day agreed, viz. On Monday.",
    ],
)
def test_english(text):
    assert split(text.replace("|", " "), "en") == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "他来了。|她走了！|真的吗？|真的。",
        "他说：“来了。”|又说：“去罢！”|众人都笑。",
        "他道：『好。』|她道：「不好？」|（全文完。）|再见。",
        "“你来么？”，他问。",
        "也罢；不去了。|走罢！！|真的？！|是。",
        "此开卷第一回也．|作者自云．|后事如何",
        '宝玉道：“谁？"|袭人道：“我。”|又道"是"字。|好。',
        "有`好事多魔-八个字。|又云：`不可外道才是．-|黛玉听了。",
        "原来是……且听下回分解。|“这……”|他不言语。",
        "版本是 3.5 和 ４．５ 两种。|用 what? 命令看 a.txt 文件。|好吗?|好!",
        "“鸟尽，良弓藏。””|他去了。",
        "好！。|？……|天。".replace("。|？", "。？"),
        "去罢。 来罢。",
        "不去。——他想。",
    ],
)
def test_chinese(text):
    assert split(text.replace("|", ""), "zh") == text.split("|")


def test_long_sentences_are_cut_at_inner_marks():
    verse = "，".join(["金蝉遭贬第一难出胎几杀第二难"] * 200)
    found = split(verse, "zh")
    assert "".join(found) == verse and max(map(len, found)) <= MAX_CHARACTERS and len(found) == 5
    period = "; ".join(["the long and winding clause went on"] * 100)
    found = split(period, "en")
    assert " ".join(found) == period and max(map(len, found)) <= MAX_CHARACTERS
    assert split("天" * 2000, "zh") == ["天" * 2000]


def test_parameters_are_checked_wherever_they_lie(tmp_path, monkeypatch):
    good = sentences.parameter_folder()
    named = tmp_path / "data" / "tokenizers/punkt_tab/english"
    named.mkdir(parents=True)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "cache"))
    for name in SHA256:
        (named / name).write_bytes((good / name).read_bytes())
    # A second hard link, as some installers make, does not matter.
    (tmp_path / "link").hardlink_to(named / "collocations.tab")
    assert sentences.parameter_folder() == named
    (named / "abbrev_types.txt").write_text("dr\n")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(sentences, "_download", lambda: tmp_path / "absent")
    with pytest.raises(SourceError) as caught:
        sentences.parameter_folder()
    assert "abbrev_types.txt has sha256" in str(caught.value) and "NLTK_DATA" in str(caught.value)
