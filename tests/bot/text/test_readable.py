import pytest
from hypothesis import given, settings

from bot.text.readable import RULE, readable
from tests.bot.text.markdown import documents, rough_texts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a cat](https://example.org/c.png)", "[a cat](https://example.org/c.png)"),
        ("![](https://example.org/c.png)", "https://example.org/c.png"),
        ("![a chart](out/chart.png)", "a chart (`out/chart.png`)"),
        ("[google.com](https://example.org)", "google.com (https://example.org)"),
        ('[here](https://example.org "so")', '[here](https://example.org "so")'),
        ("call a[i](x) then", "call a[i](x) then"),
        ("above\n\n---\n\nbelow", f"above\n\n{RULE}\n\nbelow"),
        ("* * *", RULE),
        ("above\n<hr/>\nbelow", f"above\n{RULE}\nbelow"),
        ("### Title", "### Title"),
        ("#### A **deep** title", "**A deep title**"),
        ("- [ ] first\n- [x] second", "- ☐ first\n- ☑ second"),
        ("a<br>b<br />\nc", "a\nb\nc"),
        ("<b>bold</b> <em>so</em> <kbd>Ctrl</kbd>", "**bold** *so* `Ctrl`"),
        ("<b>bold <i>and</i> more</b>", "**bold *and* more**"),
        ('<a href="https://example.org">here</a>', "[here](https://example.org)"),
        ('<a href="https://example.org">bank.com</a>', "bank.com (https://example.org)"),
        ('<img alt="a cat" src="https://example.org/c.png">', "[a cat](https://example.org/c.png)"),
        ("<details><summary>More</summary>\n\ninside\n</details>", "**More**\n\ninside\n"),
        ('<div align="center">\nwords\n</div>', "words\n"),
        ("a <!-- not to be seen --> b", "a  b"),
        ("1 &lt; 2 &amp;&amp; 3&nbsp;&gt; 2", "1 < 2 && 3 > 2"),
        ("`a` **b** _c_ ~~d~~ ||e|| > f", "`a` **b** _c_ ~~d~~ ||e|| > f"),
        (
            "\\<b>x\\</b> \\[google.com\\](https://a.b)",
            "\\<b>x\\</b> \\[google.com\\](https://a.b)",
        ),
        ("&lt;@1&gt; &lt;b&gt;", "&lt;@1> <b>"),
        ("put it in a <div> there", "put it in a <div> there"),
        ("`<b>x</b> &lt; ![a](https://b.c)`", "`<b>x</b> &lt; ![a](https://b.c)`"),
        ("```html\n<b>x</b>\n---\n```", "```html\n<b>x</b>\n---\n```"),
        ("| a |\n|---|\n| 1 |", "```\na\n─\n1\n```"),
    ],
)
def test_what_discord_does_not_draw_becomes_what_it_does(text: str, shown: str) -> None:
    assert readable(text) == shown


@settings(max_examples=200, deadline=None)
@given(rough_texts)
def test_whatever_is_written_no_fence_is_lost_or_opened(text: str) -> None:
    if "|" not in text:
        assert readable(text).count("```") == text.count("```")


@settings(max_examples=200, deadline=None)
@given(documents)
def test_a_text_that_is_readable_already_is_left_as_it_is(text: str) -> None:
    assert readable(readable(text)) == readable(text)
    assert readable(text).replace("[", "![") == text.replace("![", "[").replace("[", "![")
