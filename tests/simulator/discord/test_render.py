from pathlib import Path

import pytest

from simulator.discord.markdown_html import Names, markdown_html, relative_time
from simulator.discord.running import running_discord
from tests.fakes.rich_bot import Chooser, running_rich_bot

NAMES = Names(
    users={7: "olga"}, roles={8: "staff"}, channels={9: "news"}, now_unix_seconds=1_000_000
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain", "<p>plain</p>"),
        ("two\nlines", "<p>two<br>lines</p>"),
        (
            "**bold** *it* _it_ __u__ ~~s~~",
            "<p><strong>bold</strong> <em>it</em> <em>it</em> <u>u</u> <s>s</s></p>",
        ),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("||secret||", '<p><span class="spoiler">secret</span></p>'),
        ("snake_case_name 2 * 3 * 4", "<p>snake_case_name 2 * 3 * 4</p>"),
        ("`**no**` ``a`b``", "<p><code>**no**</code> <code>a`b</code></p>"),
        (r"\*\*no\*\* \`no\`", "<p>**no** `no`</p>"),
        ("```py\n<b>\n```", "<pre><code>&lt;b&gt;</code></pre>"),
        ("a\n```\nb\n```\nc", "<p>a</p><pre><code>b</code></pre><p>c</p>"),
        ("# A\n## B\n### C", "<h1>A</h1><h2>B</h2><h3>C</h3>"),
        ("-# small", "<small>small</small>"),
        ("> a\n> b\nc", "<blockquote><p>a<br>b</p></blockquote><p>c</p>"),
        (">>> a\nb", "<blockquote><p>a<br>b</p></blockquote>"),
        (
            "a\n>>> b\n```\nc\n```",
            "<p>a</p><blockquote><p>b</p><pre><code>c</code></pre></blockquote>",
        ),
        ("```\n>>> a\n```", "<pre><code>&gt;&gt;&gt; a</code></pre>"),
        ("- a", '<div class="item" style="--depth:0"><span>•</span><div>a</div></div>'),
        ("  2. b", '<div class="item" style="--depth:1"><span>2.</span><div>b</div></div>'),
        ("[here](https://a.b/c)", '<p><a href="https://a.b/c">here</a></p>'),
        ("<https://a.b>", '<p><a href="https://a.b">https://a.b</a></p>'),
        ("see https://a.b/c.", '<p>see <a href="https://a.b/c">https://a.b/c</a>.</p>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('[x](https://a.b/"onclick=)', '<p><a href="https://a.b/&quot;onclick=">x</a></p>'),
        ("<@7>", '<p><span class="mention">@olga</span></p>'),
        (
            "<@!7> <@&8>",
            '<p><span class="mention">@olga</span> <span class="mention">@staff</span></p>',
        ),
        (
            "<#9> <#1>",
            '<p><span class="mention">#news</span> <span class="mention">#unknown</span></p>',
        ),
        ("</jobs list:5>", '<p><span class="mention">/jobs list</span></p>'),
        ("<t:999940:R>", '<p><span class="mention">1 minute ago</span></p>'),
        ("<t:0:t>", '<p><span class="mention">00:00</span></p>'),
        ("<t:0>", '<p><span class="mention">01 January 1970 00:00</span></p>'),
        ("<script>&amp;</script>", "<p>&lt;script&gt;&amp;amp;&lt;/script&gt;</p>"),
        ("**<b>**", "<p><strong>&lt;b&gt;</strong></p>"),
        ("", ""),
    ],
)
def test_markdown_is_shown_as_discord_shows_it(text: str, html: str) -> None:
    assert markdown_html(text, NAMES) == html


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-1, "1 second ago"),
        (-59, "59 seconds ago"),
        (-7200, "2 hours ago"),
        (86_400, "in 1 day"),
        (3 * 31_536_000, "in 3 years"),
    ],
)
def test_relative_times_are_told_in_the_largest_unit(seconds: float, told: str) -> None:
    assert relative_time(1000 + seconds, 1000) == told


async def test_a_page_shows_what_a_person_sees(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        olga, max_ = discord.person("olga"), discord.person("max")
        general = discord.text_channel("general")
        question = olga.say(general, "look at <b>this</b>", files={"a<b>.txt": b"1234"})
        max_.say(general, "I see", mention_bot=False, reply_to=question)
        olga.say_aloud(general, b"ogg", duration_seconds=65)
        olga.say(general, "", mention_bot=False, files={"cat.png": b"png"})
        max_.react(question, "👀")
        olga.open_thread(question, "Side & talk")
        olga.open_thread(general, "Other <talk>")
        olga.pin(question)
        page = discord.page_of(general, olga, shown_at="Today at 9:00")
        later = discord.page_of(general, olga, after=question)
    assert page.count("Today at 9:00") == 3
    for shown in (
        '<span class="mention">@papercup</span> look at &lt;b&gt;this&lt;/b&gt;',
        "<a>a&lt;b&gt;.txt</a><small>4 bytes</small>",
        "<b>olga</b> <span>",
        "<b>1:05</b>",
        'src="data:image/png;base64,cG5n"',
        '<span class="reaction">👀 <b>1</b></span>',
        "🧵 <b>Side &amp; talk</b>",
        "<b>olga</b> started a thread: <b>Other &lt;talk&gt;</b>",
        "<b>olga</b> pinned",
    ):
        assert shown in page
    assert "a&lt;b&gt;.txt" not in later


async def test_buttons_menus_and_private_answers_are_shown(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord, running_rich_bot(discord) as rich:
        olga, max_ = discord.person("olga"), discord.person("max")
        general = discord.text_channel("general")
        await rich.channel(general.id).send("choose", view=Chooser())
        panel = await olga.sees(general, "choose")
        await olga.choose(panel, "red")
        await olga.slash(general, "jobs list")
        page, others_page = discord.page_of(general, olga), discord.page_of(general, max_)
    for shown in (
        '<span class="tag">APP</span>',
        '<div class="select"><span>Which?</span>',
        '<span class="button secondary">Tell why</span>',
        '<b>olga</b> used <span class="mention">/jobs list</span>',
    ):
        assert shown in page
    assert page.count("Only you can see this") == 2
    assert "Only you can see this" not in others_page
