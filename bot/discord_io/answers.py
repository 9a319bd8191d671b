"""Shows the answer to an interaction, in as many messages as it needs."""

from dataclasses import replace

import discord
from discord.http import Route, handle_message_parameters

from bot.discord_io.components import files_of, view_of
from bot.discord_io.presses import Interaction
from bot.messenger import MessageContent
from bot.text.layout import lay_out
from bot.text.splitting import MESSAGE_LIMIT


async def show(
    interaction: Interaction, content: MessageContent, *, is_for_all: bool = False
) -> None:
    """Show `content` in place of the first sign that was given.

    Args:
        interaction: What is answered.
        content: What to show.
        is_for_all: Whether everybody sees it, as the first sign; else only whose it is.

    Raises:
        discord.HTTPException: If Discord does not take it.
    """
    if len(content.text) <= MESSAGE_LIMIT:
        return await _edit_original(interaction, content)
    layout = lay_out(content.text)
    first, *others = layout.messages
    files = content.files if layout.file is None else (*content.files, layout.file)
    await _edit_original(interaction, replace(content, text=first, files=files))
    for text in others:
        await interaction.followup.send(text, ephemeral=not is_for_all, suppress_embeds=True)
    return None


async def _edit_original(interaction: Interaction, content: MessageContent) -> None:
    # discord.py's own method has no flags, and a preview would show whatever an address wants.
    route = Route(
        "PATCH",
        "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
        webhook_id=interaction.application_id,
        webhook_token=interaction.token,
    )
    with handle_message_parameters(
        content=content.text,
        attachments=files_of(content),
        view=view_of(content),
        flags=discord.MessageFlags(suppress_embeds=True),
        allowed_mentions=discord.AllowedMentions.none(),
    ) as sent:
        http = interaction.client.http
        if sent.files:
            await http.request(route, files=sent.files, form=sent.multipart)
        else:
            await http.request(route, json=sent.payload)
