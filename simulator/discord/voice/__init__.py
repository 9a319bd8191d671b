"""Voice on the simulated Discord: voice gateway v8, UDP, both transport modes, and DAVE.

The bot joins as it would join on Discord: op 4 at the gateway, then the voice server. People are
driven by the test; each has keys of their own, so that the bot hears them only if it takes part in
the encryption as it must.

    lounge = discord.voice_channel("Lounge")                   # or discord.stage_channel("Stage")
    alice = discord.person("alice").join_voice(lounge)         # a Talker, by davey
    ...                                                        # let the bot join
    await lounge.connected()                                   # it is in; all can hear each other
    said = await alice.speak("What time is it?")               # a text, WAV file, samples, packets
    answer = await alice.hears(discord.bot, after_seconds=said.ended_at_seconds)
    answer.samples, answer.packets, answer.started_at_seconds  # 48 kHz mono; monotonic times
    write_wav(path, alice.recording.samples(discord.bot))      # simulator.discord.voice.speech

    alice.mute(); alice.deafen(); alice.move_to(other); alice.leave()
    discord.person("bob").join_voice(lounge, make_peer=AnotherPeer)   # see peers.Peer

Faults: `discord.voice` (a VoiceSettings: `is_speaking_told=False` sends no op 5, `padded_share`,
`modes`, `does_bot_commit` ...), `discord.worsen_network(Network(loss=0.1))`,
`await discord.drop_voice(4006)`, `discord.refuse_next_voice(4017)`,
`discord.change_voice_server()`, `discord.move_bot(channel)`, `discord.throw_bot_out()`,
`discord.mute_bot()`, `discord.lose_discoveries()`. What came about stands in
`discord.journal` (happenings.py) and, for datagrams, in `discord.voice_counts`.

That somebody speaks (op 5) is told before the first packet is sent, but a datagram may be the
faster, as on Discord; `alice.announce()` tells it beforehand.

A client finds the voice server by the host name `*.discord.media`; `loopback_connector` leads
there. For one that cannot be led so, set `discord.voice.endpoint` to `localhost:PORT`.

Only talker.py and what it imports need the packages of `papercup[voice]`; they are loaded when the
first person joins.
"""
