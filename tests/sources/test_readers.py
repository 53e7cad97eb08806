"""What each reader keeps and drops, on small invented inputs."""

import unicodedata
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.readers import articles_zh
from carrara.sources.readers import books as novels_zh
from carrara.sources.readers.books import paragraphs


@given(st.text())
def test_tidy_keeps_its_promise(text):
    line = tidy(text)
    assert line == " ".join(line.split()) and unicodedata.is_normalized("NFC", line) and tidy(line) == line
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in line)
    line.encode()


def test_tidy_white_space():
    assert tidy("\ufeff a\u3000b\u00a0\tc\u200bd\x00\r\n") == "a b cd"


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("A line\nthat goes on.", "A line that goes on."),
        ("He paused--\nthen spoke of mid-\nwinter and\n--well.", "He paused--then spoke of mid-winter and--well."),
        ("_Very_ well, said _he_.", "Very well, said he."),
        ("in the year 17__ or so", "in the year 17-- or so"),
        ("H_{2}O is water", "H2O is water"),
        ("|MRS. Lynde lived {301} here{454a}.[1]", "MRS. Lynde lived here."),
        ("No man,[*] she said. * * * He went.", "No man, she said. He went."),
        ("CHAPTER I. Down the Hole", ""),
        ("CHAPTER XII", ""),
        ("Chapter 4", ""),
        ("_Chapter XIII_", ""),
        ("Book Twelfth", ""),
        ("Endnote 3", ""),
        ("PART ONE", ""),
        ("Part of the crowd went home.", "Part of the crowd went home."),
        ("BOOK I", ""),
        ("XIV.", ""),
        ("ii", ""),
        ("{330}", ""),
        ("*     *     *", ""),
        ("-----------", ""),
        ("[Illustration: a cat]", ""),
        ("[Footnote 1: It may be said.]", ""),
        ("[Picture: The frame]", ""),
        ("[_Transcriber's Note: The name._]", ""),
        ("* As each nation had its own", ""),
        ("[So he said.] I went.", "[So he said.] I went."),
    ],
)
def test_paragraphs_of_books(block, wanted):
    assert list(paragraphs(f"Before.\n\n\n{block}\n   \nAfter.\n")) == [
        "Before.",
        *([wanted] if wanted else []),
        "After.",
    ]


NOVEL = """《某书》某人

第一回  甲乙丙丁　戊己庚辛

\u3000\u3000话说天下大势，分久必合．有诗为证：

    山高水
    长．

    一字一行的旧诗

有人道：“来了！"又道：“去罢。”
奈何№一声
坏字\ufffd在此
蓉大***在此
这是一个大l
水6大会
即?视而有情
<br>坏了一行
精兵伏于【舟冓】船中
前一页
首页|名著|论坛

楔子　引首一段

第二日天明，众人都起来了。
第十二回 只有题目
"""


def test_chapters_of_a_novel(tmp_path):
    before, first, prologue, last = novels_zh.chapters(NOVEL)
    assert before == ("", (), 0)
    assert first.heading == "第一回 甲乙丙丁 戊己庚辛"
    assert first.paragraphs == (
        "话说天下大势，分久必合．有诗为证：",
        "山高水长．",
        "一字一行的旧诗",
        '有人道：“来了！"又道：“去罢。”',
    )
    assert first.dropped == 9
    assert prologue == ("楔子 引首一段", ("第二日天明，众人都起来了。",), 0)
    assert last.heading == "第十二回 只有题目" and not last.paragraphs
    (tmp_path / "n.txt").write_text(NOVEL)
    found = list(novels_zh.read_chinese_novels({"n.txt": tmp_path / "n.txt"}))
    assert [document.id for document in found] == ["n/001", "n/002"]
    (tmp_path / "n.txt").write_text("latin only")
    with pytest.raises(SourceError, match="no Chinese text"):
        list(novels_zh.read_chinese_novels({"n.txt": tmp_path / "n.txt"}))


PROSE = "这一段文字足够长，可以留下来作为正文。"
ARTICLE = f"""[#]: subject: (A title)
[#]: via: (https://example.org)

文章的题目
======

> 引言也是正文的一部分，所以应当留下来。

![][0]
![图片说明文字足够长也不应当留下来的](https://example.org/a.png)

### 小标题也有足够多的文字却不是正文段落

{PROSE}
副标题文字足够长但是下面有一条线的
-------

在 [这一篇很有用的文章][1] 中，我们用 **重要的** `ls -l *.txt` 命令来看 _所有的_ 文件。
接着[另一个链接](https://example.org/a_(b) "题")，还有<ruby>开源<rt>open source</rt></ruby>软件&amp;文件_名。

```
这一行是代码里的注释文字，不应当留下来的。
```

    ls 这是缩进的代码，其中有中文的注释文字在里面

* 列表的第一项也是足够长的一句中文正文。
  1. 列表的第二项也是足够长的一句中文正文。
> * 引用里的一项也是足够长的一句中文正文。

| 表格 | 里面有很多中文文字 | 也不应当留下来的 |

This paragraph is only English and it goes on for a while, 中文很少所以不留在这里面啊啊.

请打开 https://example.org 来看看更多的内容，这一段因此不要。

太短的一段。

[2]: https://example.org/链接的定义里有很多很多的中文文字

题图：这一行是题图的说明，也有足够多的文字在这里。

--------------------------------------------------------------------------------

作者简介：这一段介绍作者，有足够多的文字但是不要留下来。

via: https://example.org

作者：[某某][a] 译者：[某某](https://example.org) 校对：某某某某某某某某某
本文由 [LCTT](https://example.org) 原创编译，某某某某某某荣誉推出

[1]: https://example.org
"""


def test_prose_of_an_article():
    title, found = articles_zh.article(ARTICLE)
    assert title == "文章的题目"
    assert found == (
        "引言也是正文的一部分，所以应当留下来。",
        "在这一篇很有用的文章中，我们用重要的 ls -l *.txt 命令来看所有的文件。接着另一个链接，还有开源软件&文件_名。",
        "列表的第一项也是足够长的一句中文正文。",
        "列表的第二项也是足够长的一句中文正文。",
        "引用里的一项也是足够长的一句中文正文。",
    )


def test_a_block_above_an_underline_is_a_heading():
    assert articles_zh.article(f"# 题\n\n{PROSE}\n\n{PROSE}\n===\n\n又一段，{PROSE}\n") == (
        "题",
        (PROSE, f"又一段，{PROSE}"),
    )


def test_an_open_fence_drops_what_follows():
    assert articles_zh.article(f"# 题\n\n{PROSE}\n\n```\n{PROSE}\n")[1] == (PROSE,)
    assert articles_zh.article(f"# 题\n\n```code```\n\n{PROSE}\n")[1] == (PROSE,)


def test_articles_that_repeat_are_dropped(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("1.md", f"# 甲\n\n{PROSE}\n")
        archive.writestr("2.md", f"# 甲\n\n另外的一段，{PROSE}\n")
        archive.writestr("3.md", f"# 乙\n\n{PROSE}\n")
        archive.writestr("4.md", f"# 丙\n\n又一段，{PROSE}\n")
        archive.writestr("5.md", "# 丁\n\nEnglish only.\n")
    found = list(articles_zh.read({"a.zip": tmp_path / "a.zip"}))
    assert [(document.id, document.title) for document in found] == [("a/1", "甲"), ("a/4", "丙")]
