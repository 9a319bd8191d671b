// A bot on discord.js and @discordjs/voice. It prints what it hears, one JSON line each.
//
// It gets by its environment: DISCORD_JS (the folder in which they are installed), API (where REST
// is), TOKEN, GUILD, CHANNEL (the voice channel that it joins) and PACKETS (the Opus packets that it
// plays to whoever speaks first, in Base64, as JSON). It ends when its standard input ends.

import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";

const { DISCORD_JS, API, TOKEN, GUILD, CHANNEL, PACKETS } = process.env;
const require = createRequire(join(DISCORD_JS, "index.js"));
const { Client, GatewayIntentBits: Intent } = require("discord.js");
const voice = require("@discordjs/voice");
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

const client = new Client({
  intents: [Intent.Guilds, Intent.GuildVoiceStates],
  rest: { api: API },
});

function tell(what, more = {}) {
  process.stdout.write(JSON.stringify({ what, ...more }) + "\n");
}

function fail(error) {
  tell("error", { text: String(error.stack ?? error) });
}

function play(connection) {
  const packets = JSON.parse(PACKETS).map((packet) => Buffer.from(packet, "base64"));
  const player = voice.createAudioPlayer();
  connection.subscribe(player);
  player.on("error", fail);
  player.once(voice.AudioPlayerStatus.Playing, () =>
    player.once(voice.AudioPlayerStatus.Idle, () => tell("played")),
  );
  player.play(
    voice.createAudioResource(Readable.from(packets, { objectMode: true }), {
      inputType: voice.StreamType.Opus,
    }),
  );
}

function listen(connection) {
  const { receiver } = connection;
  receiver.ssrcMap.on("create", ({ userId: user }) => {
    const heard = [];
    const end = { behavior: voice.EndBehaviorType.Manual };
    receiver.subscribe(user, { end }).on("data", (packet) => {
      if (packet.equals(SILENCE)) return;
      heard.push(packet.toString("base64"));
      tell("heard", { user, packets: heard });
    });
    tell("knows", { user });
  });
  receiver.speaking.once("start", () => play(connection));
}

client.once("clientReady", async () => {
  const guild = client.guilds.cache.get(GUILD);
  const connection = voice.joinVoiceChannel({
    guildId: GUILD,
    channelId: CHANNEL,
    adapterCreator: guild.voiceAdapterCreator,
    selfDeaf: false,
  });
  connection.on("error", fail);
  await voice.entersState(connection, voice.VoiceConnectionStatus.Ready, 15_000);
  listen(connection);
  tell("ready");
});

process.on("unhandledRejection", fail);
process.stdin.on("end", () => process.exit(0)).resume();
client.on("error", fail);
await client.login(TOKEN);
