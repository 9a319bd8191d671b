"""What a link looks like in a text, as regular expressions. Pure."""

_WORDS = r"(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+"
_ADDRESS = r"(?:[^\s()<>]|\([^\s()<>]*+\))++"
_TITLE = r"(?:[ \t]+(?:\"[^\"\n]*+\"|'[^'\n]*+'))?"
_TARGET = r"\([ \t]*<?(?P<{name}>" + _ADDRESS + r")>?" + _TITLE + r"[ \t]*\)"

MASKED_LINK = rf"(?<!\\)\[(?P<words>{_WORDS})\]" + _TARGET.format(name="address")
"""An address behind words."""

IMAGE = rf"(?<!\\)!\[(?P<alt>{_WORDS})\]" + _TARGET.format(name="source")
"""A picture, written as one that is shown within a text."""

BARE_LINK = r"https?://[^\s<>]++"
"""An address that stands for itself."""

_MOST_WORDS = 300
UNFINISHED_LINK = (
    rf"\[(?:[^\[\]\n]|\[[^\[\]\n]*+\]){{0,{_MOST_WORDS}}}+"
    r"(?:\](?:\([ \t]*<?(?:[^\s()<>]|\([^\s()<>]*+(?:\)|\Z))*+>?(?:[ \t]++[\"']?[^\n)]*+)?)?)?\Z"
)
"""What may become a link, where the text breaks off."""
