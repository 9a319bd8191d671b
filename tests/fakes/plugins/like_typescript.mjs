// Speaks `sep` as plugins do that were made with its SDK in TypeScript: it sends the whole input of a
// hook as its patch, publishes by a request, hands contexts back as they came, sends no context with
// questions, and does one thing while it waits for another.

import { createInterface } from 'node:readline'

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const WELCOME = {
  protocol_version: 1,
  extension: { name: 'like_typescript', version: '0.1.0' },
  registrations: {
    tools: [{ name: 'greet', description: 'Greets.', parameters: NAME, deferred: true }],
    commands: [{ name: 'note', description: 'Keeps a note.' }],
    flags: ['loud'],
    shortcuts: [{ key: 'ctrl+n', command: 'note', description: 'Note' }],
    providers: [{ name: 'canned', models: [{ id: 'canned-1', display_name: 'Canned' }] }],
    hooks: ['input'],
    message_renderers: [{ tag: 'note', template: { kind: 'markdown', text: '{{text}}' } }],
    subscriptions: ['turn_end', 'bus/event'],
  },
}

const waiting = new Map()
let number = 0
let flags = {}

const send = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
const tell = (method, params) => send({ method, params })
const ask = (method, params) =>
  new Promise((resolve) => {
    number += 1
    waiting.set(number, resolve)
    send({ id: number, method, params })
  })

const handlers = {
  initialize: (params) => {
    flags = params.flags ?? {}
    return WELCOME
  },
  ping: () => ({}),
  shutdown: () => {
    setTimeout(() => process.exit(0), 10)
    return {}
  },
  'tool/execute': async ({ call_id, arguments: { name } }) => {
    tell('tool/update', { call_id, message: 'asking', progress: 0.5 })
    const { confirmed } = await ask('ui/request', { kind: 'confirm', prompt: `Greet ${name}?` })
    return confirmed ? { content: `Hello, ${name}!` } : { content: 'No.', is_error: true }
  },
  hook: ({ input }) => {
    const text = flags.loud ? input.text.toUpperCase() : input.text
    return { action: 'modify', patch: { ...input, text } }
  },
  'command/execute': async ({ context, arguments: args }) => {
    await ask('session/append_entry', { context, entry: { kind: 'note', text: args.args } })
    void ask('bus/publish', { topic: 'shouts', payload: { text: args.args } })
    return {}
  },
  'command/complete': () => ({ completions: [{ value: 'milk' }] }),
  'provider/complete': ({ request_id, model, stream }) => {
    if (stream) tell('provider/delta', { request_id, event: { type: 'Delta', content: 'hi' } })
    return { content: 'hi', finish_reason: 'stop', resolved_model: model }
  },
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) {
    waiting.get(id)?.(result)
  } else if (id === undefined) {
    if (method === 'event') tell('log', { level: 'info', message: `told of ${params.event}` })
  } else if (method in handlers) {
    send({ id, result: await handlers[method](params) })
  } else {
    send({ id, error: { code: -32601, message: `method not found: ${method}` } })
  }
})
