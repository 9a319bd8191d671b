// Says what it is told: a tool with progress that can be cancelled, a command with completion, a
// shortcut and events, in the dialect `sep`. On each line of stdin and stdout stands one JSON-RPC
// message; Node alone is needed.

import { setTimeout as pause } from 'node:timers/promises'

const PARSE_ERROR = -32700, METHOD_NOT_FOUND = -32601, INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603, CANCELLED = -32800
const MOST_TIMES = 10, LONGEST_PAUSE_MS = 5000, MOST_HEARD = 20

const SAY = {
  name: 'say',
  description: 'Says a phrase, once or several times.',
  parameters: {
    type: 'object',
    properties: {
      phrase: { type: 'string' },
      times: { type: 'integer', minimum: 1, maximum: MOST_TIMES },
      pause_ms: { type: 'integer', minimum: 0, maximum: LONGEST_PAUSE_MS },
    },
    required: ['phrase'],
    additionalProperties: false,
  },
}

const WELCOME = {
  protocol_version: 1,
  extension: { name: 'echo', version: '1.0.0' },
  registrations: {
    tools: [SAY],
    commands: [{ name: 'echo', description: 'Says what you write, and how many turns it saw.' }],
    shortcuts: [{ key: 'ctrl+e', command: 'echo', description: 'Echo' }],
    subscriptions: ['turn_start', 'turn_end'],
    hooks: [], // a plugin that does not say so is asked at every point
  },
}

class Refused extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

// --- What it does. -------------------------------------------------------------------------------

const seen = { turn_start: 0, turn_end: 0 }
const heard = []

async function say({ phrase, times = 1, pause_ms = 0 } = {}, callId, signal) {
  const isFine = typeof phrase === 'string' && isWithin(times, 1, MOST_TIMES)
  if (!isFine || !isWithin(pause_ms, 0, LONGEST_PAUSE_MS)) {
    throw new Refused(INVALID_PARAMS, 'say needs a phrase; times and pause_ms are whole numbers')
  }
  remember(phrase)
  const said = []
  for (let time = 1; time <= times; time += 1) {
    if (time > 1) await pause(pause_ms, undefined, { signal })
    said.push(phrase)
    const message = `${time} of ${times}`
    send({ method: 'tool/update', params: { call_id: callId, message, progress: time / times } })
  }
  return said.join('\n')
}

const isWithin = (number, least, most) => Number.isInteger(number) && number >= least && number <= most

function remember(phrase) {
  if (!heard.includes(phrase)) heard.unshift(phrase)
  heard.length = Math.min(heard.length, MOST_HEARD)
}

async function answer(method, params, signal) {
  switch (method) {
    case 'initialize':
      return WELCOME
    case 'ping':
      return {}
    case 'hook':
      return { action: 'continue' } // there are hosts that ask all the same
    case 'tool/execute':
      if (params?.tool !== 'say') break
      return { content: await say(params.arguments ?? {}, params.call_id, signal) }
    case 'command/execute':
      if (params?.command !== 'echo' || typeof params.arguments?.args !== 'string') break
      remember(params.arguments.args)
      return { content: `${params.arguments.args || '…'}\n-# I saw ${seen.turn_end} turns end.` }
    case 'command/complete': {
      if (params?.command !== 'echo') break
      const fitting = heard.filter((phrase) => phrase.startsWith(params.partial ?? ''))
      return { completions: fitting.map((value) => ({ value, description: 'said before' })) }
    }
    default:
      throw new Refused(METHOD_NOT_FOUND, `method not found: ${method}`)
  }
  throw new Refused(INVALID_PARAMS, 'there is no such tool or command, or not so')
}

// --- The wire. -----------------------------------------------------------------------------------

const running = new Map() // what can be cancelled, by the numbers of the requests

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function serve({ id, method, params }) {
  const controller = new AbortController()
  running.set(id, controller)
  try {
    send({ id, result: await answer(method, params, controller.signal) })
  } catch (error) {
    send({ id, error: refusal(error, controller.signal) })
  } finally {
    running.delete(id)
  }
}

function refusal(error, signal) {
  if (error instanceof Refused) return { code: error.code, message: error.message }
  if (signal.aborted) return { code: CANCELLED, message: 'cancelled' }
  console.error(error) // into the log of the host
  return { code: INTERNAL_ERROR, message: 'the plugin failed' }
}

function read(line) {
  let message
  try {
    message = JSON.parse(line)
  } catch {
    send({ id: null, error: { code: PARSE_ERROR, message: 'this is not JSON' } })
    return
  }
  if (typeof message?.method !== 'string') return
  if (message.method === 'shutdown') {
    send({ id: message.id, result: {} })
    process.exit()
  } else if (message.method === '$/cancel') {
    running.get(message.params?.id)?.abort()
  } else if (message.method === 'event') {
    if (message.params?.event in seen) seen[message.params.event] += 1
  } else if ('id' in message) {
    serve(message)
  }
}

// Not node:readline: it ends lines at U+2028, too, which may stand in a message.
let pieces = []
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const [first, ...others] = chunk.split('\n')
  pieces.push(first)
  for (const next of others) {
    read(pieces.join(''))
    pieces = [next]
  }
})
process.stdin.on('end', () => process.exit())
