// A bot on discord.js. It prints what it sees, one JSON line each: {"what": ..., ...}.
//
// It gets by its environment: DISCORD_JS (the folder in which discord.js is installed), API (where
// REST is), TOKEN and GUILD. It ends when its standard input ends.

import { createRequire } from "node:module";
import { join } from "node:path";

const { DISCORD_JS, API, TOKEN, GUILD } = process.env;
const require = createRequire(join(DISCORD_JS, "index.js"));
const discord = require("discord.js");
const { GatewayIntentBits: Intent, MessageFlags, Partials } = discord;

const client = new discord.Client({
  intents: [
    Intent.Guilds,
    Intent.GuildMembers,
    Intent.GuildMessages,
    Intent.GuildMessageReactions,
    Intent.DirectMessages,
    Intent.MessageContent,
  ],
  partials: [Partials.Channel, Partials.Message, Partials.Reaction],
  allowedMentions: { parse: [] },
  presence: { status: "idle", activities: [{ name: "custom", state: "waiting", type: 4 }] },
  rest: { api: API, rejectOnRateLimit: (limit) => limit.retryAfter > 60_000 },
});

function tell(what, more = {}) {
  process.stdout.write(JSON.stringify({ what, ...more }) + "\n");
}

const COMMANDS = [
  {
    name: "jobs",
    description: "Work in the background",
    description_localizations: { de: "Arbeit im Hintergrund" },
    options: [
      {
        type: 1,
        name: "show",
        description: "One job",
        options: [
          { type: 3, name: "job", description: "Which", required: true, autocomplete: true },
          { type: 7, name: "where", description: "Where to", channel_types: [0] },
        ],
      },
    ],
  },
  { name: "later", description: "Answer after a while" },
  { name: "survey", description: "Fill in a form" },
  { name: "Ask Me", type: 3 },
  { name: "Greet", type: 2 },
];

const PANEL = [
  {
    type: 1,
    components: [
      {
        type: 3,
        custom_id: "colour",
        placeholder: "Colour",
        min_values: 1,
        max_values: 2,
        options: ["red", "green", "blue"].map((name) => ({ label: name, value: name })),
      },
    ],
  },
  {
    type: 1,
    components: [
      { type: 2, style: 1, custom_id: "update", label: "Update" },
      { type: 2, style: 4, custom_id: "form", label: "Form" },
      { type: 2, style: 2, custom_id: "note", label: "Note" },
    ],
  },
];

const FORM = new discord.ModalBuilder({
  custom_id: "form",
  title: "A form",
  components: [
    {
      type: 18,
      label: "Reason",
      component: { type: 4, custom_id: "reason", style: 1, min_length: 2, max_length: 20 },
    },
    {
      type: 18,
      label: "Colour",
      component: {
        type: 3,
        custom_id: "colour",
        options: ["red", "green"].map((name) => ({ label: name, value: name })),
      },
    },
  ],
});

const ASKED = {
  async reply(message) {
    const files = [{ attachment: Buffer.from("for you"), name: "greeting.txt" }];
    const sent = await message.reply({ content: `hello ${message.author.username}`, files });
    tell("replied", { to: sent.reference.messageId === message.id, size: sent.attachments.at(0).size });
  },
  async react(message) {
    const reaction = await message.react("👀");
    await reaction.users.remove(client.user);
    await message.react("✅");
  },
  async edit(message) {
    const sent = await message.channel.send({ content: "one", flags: MessageFlags.SuppressNotifications });
    const edited = await sent.edit({ content: "two", flags: MessageFlags.SuppressEmbeds });
    tell("edited", { content: edited.content, flags: edited.flags.bitfield });
    const gone = await message.channel.send("gone soon");
    await gone.delete();
    const history = await message.channel.messages.fetch({ limit: 10 });
    tell("history", { contents: [...history.values()].map((one) => one.content) });
  },
  async pin(message) {
    await message.pin();
    const { items } = await message.channel.messages.fetchPins();
    tell("pinned", { contents: items.map((one) => one.message.content) });
    await message.unpin();
    tell("unpinned", { left: (await message.channel.messages.fetchPins()).items.length });
  },
  async threads(message) {
    const from = await message.startThread({ name: "From a message", autoArchiveDuration: 60 });
    await from.send("inside");
    await from.setName("Renamed");
    const own = await message.channel.threads.create({ name: "Alone" });
    tell("threads", { sameId: from.id === message.id, type: own.type, parent: own.parent.name });
    await own.setArchived(true);
    const { threads: active } = await message.guild.channels.fetchActiveThreads();
    tell("active", { names: [...active.values()].map((one) => one.name) });
    const { threads: archived } = await message.channel.threads.fetchArchived();
    tell("archived", { names: [...archived.values()].map((one) => one.name) });
    await from.setName("Twice");
    tell("renamed too often", { limited: await fails(() => from.setName("Thrice")) });
  },
  async panel(message) {
    await message.channel.send({ content: "a panel", components: PANEL });
  },
  async refusals(message) {
    const long = "x".repeat(2001);
    tell("too long", { refused: await fails(() => message.channel.send(long)) });
    const large = { files: [{ attachment: Buffer.alloc(10 * 1024 * 1024 + 1), name: "large" }] };
    tell("too large", { refused: await fails(() => message.channel.send(large)) });
    tell("unknown", { refused: await fails(() => message.channel.messages.fetch("1")) });
  },
  async presence() {
    client.user.setPresence({ status: "dnd", activities: [{ name: "x", state: "busy", type: 4 }] });
  },
};

async function fails(act) {
  try {
    await act();
    return null;
  } catch (error) {
    return error instanceof discord.RateLimitError ? 429 : error.code;
  }
}

client.on("messageCreate", async (message) => {
  if (message.author.bot) return;
  const attachments = [...message.attachments.values()].map((one) => ({
    name: one.name,
    size: one.size,
    contentType: one.contentType,
    duration: one.duration,
  }));
  tell("message", {
    author: message.author.username,
    content: message.cleanContent,
    inThread: message.channel.isThread(),
    isReply: message.type === discord.MessageType.Reply,
    isVoice: message.flags.has(MessageFlags.IsVoiceMessage),
    attachments,
  });
  await ASKED[message.content]?.(message);
});

client.on("messageUpdate", (before, after) => {
  if (!after.author.bot) tell("message edited", { before: before.content, after: after.content });
});
client.on("messageDelete", (message) => tell("message deleted", { content: message.content }));
client.on("messageDeleteBulk", (messages) => tell("messages deleted", { count: messages.size }));
client.on("messageReactionAdd", (reaction, user) => {
  if (!user.bot) tell("reaction", { emoji: reaction.emoji.name, user: user.id });
});
client.on("threadCreate", (thread) => tell("thread created", { name: thread.name }));
client.on("threadUpdate", (before, after) =>
  tell("thread updated", { name: after.name, archived: after.archived }),
);
client.on("channelPinsUpdate", (channel) => tell("pins changed", { channel: channel.name }));

const CALLED = {
  async jobs(call) {
    const where = call.options.getChannel("where");
    const told = `${call.options.getSubcommand()} ${call.options.getString("job")}`;
    await call.reply({ content: `${told} ${where?.name}`, flags: MessageFlags.Ephemeral });
    await call.followUp({ content: "and more", flags: MessageFlags.Ephemeral });
    tell("limit", { bytes: call.attachmentSizeLimit, react: call.appPermissions.has("AddReactions") });
  },
  async later(call) {
    await call.deferReply();
    const file = { attachment: Buffer.from("1"), name: "one.txt" };
    await call.editReply({ content: "at last", files: [file] });
  },
  async survey(call) {
    await call.showModal(FORM);
  },
  async "Ask Me"(call) {
    await call.reply({ content: `about: ${call.targetMessage.content}`, flags: MessageFlags.Ephemeral });
  },
  async Greet(call) {
    await call.reply(`hello ${call.targetMember.displayName}`);
  },
};

const PRESSED = {
  async update(press) {
    await press.update({ content: "updated", components: [] });
  },
  async form(press) {
    await press.showModal(FORM);
  },
  async note(press) {
    await press.deferReply({ flags: MessageFlags.Ephemeral });
    await press.editReply(`noted, ${press.member.displayName}`);
  },
};

client.on("interactionCreate", async (interaction) => {
  if (interaction.isAutocomplete()) {
    const { name, value } = interaction.options.getFocused(true);
    const offered = ["1", "2"].map((end) => ({ name: `${name} ${value}${end}`, value: value + end }));
    await interaction.respond(offered);
  } else if (interaction.isCommand()) {
    await CALLED[interaction.commandName](interaction);
  } else if (interaction.isStringSelectMenu()) {
    await interaction.reply({
      content: interaction.values.join("+"),
      flags: MessageFlags.Ephemeral,
    });
  } else if (interaction.isButton()) {
    await PRESSED[interaction.customId](interaction);
  } else if (interaction.isModalSubmit()) {
    const { fields } = interaction;
    const reason = fields.getTextInputValue("reason");
    await interaction.reply(`${reason}: ${fields.getStringSelectValues("colour").join()}`);
  }
});

client.once("clientReady", async () => {
  const guild = client.guilds.cache.get(GUILD);
  const registered = await guild.commands.set(COMMANDS);
  const fetched = await guild.commands.fetch({ withLocalizations: true });
  const jobs = fetched.find((one) => one.name === "jobs");
  tell("ready", {
    user: client.user.username,
    guild: guild.name,
    commands: [...registered.values()].map((one) => one.name),
    german: jobs.descriptionLocalizations.de,
  });
});

client.on("error", (error) => tell("error", { text: String(error) }));
process.on("unhandledRejection", (error) => tell("error", { text: String(error?.stack ?? error) }));
process.stdin.on("end", async () => {
  await client.destroy();
  process.exit(0);
});
process.stdin.resume();
await client.login(TOKEN);
