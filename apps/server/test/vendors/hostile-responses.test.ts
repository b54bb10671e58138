import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import { type FakeUpstream, messagesType, type Script, type Step, startFakeUpstream } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { pieces, type ScriptedError, type VendorDouble } from './vendor-double.ts'

// Responses that a vendor, a proxy in front of it or an attacker in its place may give: what the client gets, what is charged, and where
// the key goes.

let app: TestApp
let elsewhere: FakeUpstream
beforeAll(async () => {
  elsewhere = await startFakeUpstream()
})
afterAll(() => elsewhere.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const called = { name: 'weather', input: { city: 'Lisboa "ü" \\ 北京', days: [1, 2, 3] } }
const tools = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
]
const errors = [
  'bad_key',
  'no_quota',
  'rate_limited',
  'unavailable',
  'model_not_found',
  'bad_request',
  'context_length',
  'content_policy',
] as const satisfies readonly ScriptedError[]

/** What must be in no text: the parts of the key that are not public, and what the vendor gives for it. */
function secretsOf(double: VendorDouble): readonly string[] {
  const parts = double.key.replaceAll('{upstream}', app.upstream.url).split('|')
  // What a service account signs with is never sent.
  return [...parts.filter((part) => !part.startsWith('{')), double.credential ?? ''].filter(
    (part) => part.length >= 8 && !/^(?:us|eu|ap|europe|asia)-|^https?:/.test(part),
  )
}

async function scene(double: VendorDouble, script: Script) {
  const { type, model, config, other } = double
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key: token } = await app.make.token(user)
  await app.make.channel({
    ...{ groups: group, type, key: double.key.replaceAll('{upstream}', app.upstream.url), models: model, priority: 1 },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(script)
  const ask = (more: object) =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...more }),
    })
  /** Another channel of the model, which is tried next. */
  const withSecond = () => app.make.channel({ groups: group, type: 1, models: model, priority: 0 })
  return { user, ask, withSecond }
}

async function logOf(user: TestUser) {
  await app.app.ledger.drain()
  return app.data(contract.log.list, { username: user.username })
}

const bytesOf = (script: Script): Uint8Array =>
  Buffer.concat(script.map((step) => (step.do === 'send' ? Buffer.from(step.bytes) : Buffer.of())))

/** The script with another body, and with these headers beside its own. */
function rewritten(script: Script, bytes: Uint8Array, headers: Readonly<Record<string, string>>, status?: number): Script {
  const [head] = script
  if (head?.do !== 'head') throw new Error('the answer has no head')
  const first: Step = { ...head, status: status ?? head.status, headers: { ...head.headers, ...headers } }
  return [first, { do: 'send', bytes }]
}

/** The members that report an error where it is one word. */
const reportsError = new Set(['message', 'msg', 'error', 'error_msg', 'detail'])

/** The JSON with the secrets behind every text that reports an error, as vendors that repeat a key have it. */
function repeating(json: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(json)) return json.map((item) => repeating(item, secrets))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      typeof value === 'string' && (value.includes(' ') || reportsError.has(name))
        ? `${value} (key ${secrets.join(' and ')})`
        : repeating(value, secrets),
    ]),
  )
}

/** A stream as the client reads it. */
function readEvents(received: string) {
  const data = received.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice('data: '.length)] : []))
  const isEnded = data.at(-1) === '[DONE]'
  // Holds: OpenAI's events have these members.
  const events = data
    .filter((one) => one !== '[DONE]')
    .map(
      (one) =>
        JSON.parse(one) as {
          readonly error?: object
          readonly choices?: ReadonlyArray<{ readonly delta?: object; readonly finish_reason?: string | null }>
        },
    )
  return {
    isEnded,
    hasError: events.some(({ error }) => error !== undefined),
    isFinished: events.some(({ choices = [] }) => choices.some(({ finish_reason: reason }) => typeof reason === 'string')),
    delivered: events.map(({ choices = [] }) => choices.map(({ delta }) => JSON.stringify(delta ?? {})).join('')).join(''),
  }
}

describe.each(doubles.map((double) => [double.name, double] as const))('%s', (_name, double) => {
  const stream = !double.lacks?.includes('stream')
  const isSocket = isOverSocket(double)
  const whole = ['a whole answer', { stream: false }] as const
  const modes = stream ? [whole, ['a stream', { stream: true }] as const] : [whole]

  const responses: ReadonlyArray<readonly [string, () => Script]> = [
    ...[301, 302, 303, 307, 308].map(
      (status) =>
        [
          `a redirect to another host (${status})`,
          () => [{ do: 'head', status, headers: { location: `${elsewhere.url}/v1/chat/completions` } }] satisfies Script,
        ] as const,
    ),
    ['a 529', () => pieces('application/json', []).map((step) => (step.do === 'head' ? { ...step, status: 529 } : step))],
    [
      'a body that is not what its encoding says',
      () => [
        { do: 'head', status: 200, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
        { do: 'send', bytes: '{"a": 1}' },
      ],
    ],
    [
      'half of a compressed body',
      () => [
        { do: 'head', status: 200, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
        { do: 'send', bytes: gzipSync(bytesOf(double.whole({ text: 'Hello' }))).subarray(0, 20) },
      ],
    ],
  ]
  /** A server for each group of tests, because the retries of a model in one server are limited. */
  function withServer(): void {
    beforeAll(async () => {
      app = await testApp()
    })
    afterAll(() => app.close())
  }

  describe.each(modes)('called for %s,', (_kind, more) => {
    withServer()
    test.each(responses)('%s leads to another channel, is charged nothing, and takes the key nowhere', async (_what, script) => {
      const { user, ask, withSecond } = await scene(double, script())
      await withSecond()
      const response = await ask(more)
      expect(await response.text()).toContain(more.stream ? '[DONE]' : 'Hello')
      expect(response.status).toBe(200)
      expect(await logOf(user)).toMatchObject([{ attempts: 2, prompt_tokens: 10, completion_tokens: 5 }])
      expect(elsewhere.received).toEqual([])
    })

    test('a 413 is passed on once, and charged nothing', async () => {
      const page: Script = [
        { do: 'head', status: 413, headers: { 'content-type': 'text/html' } },
        { do: 'send', bytes: '<html>413</html>' },
      ]
      const { user, ask, withSecond } = await scene(double, page)
      await withSecond()
      const response = await ask(more)
      expect([response.status, await response.text()]).toEqual([413, expect.not.stringContaining('<html>')])
      for (const row of await logOf(user)) expect(row).toMatchObject({ attempts: 1, quota: 0 })
    })

    test.each(errors)('an error (%s) in a 200 is reported as an error and charged nothing', async (what) => {
      const script = double.error(what)
      if (script === null || isSocket) return
      const { user, ask } = await scene(double, rewritten(script, bytesOf(script), {}, 200))
      const response = await ask(more)
      const text = await response.text()
      expect([what, response.status >= 400 || readEvents(text).hasError, text]).toEqual([what, true, expect.any(String)])
      for (const row of await logOf(user)) expect(row).toMatchObject({ quota: 0 })
    })

    test.each(errors)('a compressed error (%s) is the same as a plain one', async (what) => {
      const script = double.error(what)
      if (script === null || isSocket) return
      const outcomeOf = async (variant: Script) => {
        const { ask } = await scene(double, variant)
        const response = await ask(more)
        return { status: response.status, text: (await response.text()).replaceAll(/[\w-]{20,}/g, '') }
      }
      const plain = await outcomeOf(script)
      expect(plain.status).toBeGreaterThanOrEqual(400)
      expect(await outcomeOf(rewritten(script, gzipSync(bytesOf(script)), { 'content-encoding': 'gzip' }))).toEqual(plain)
    })

    test.each(errors)('an error (%s) that repeats the key is reported without it', async (what) => {
      const script = double.error(what)
      const secrets = secretsOf(double)
      if (script === null || isSocket || secrets.length === 0) return
      const bytes = Buffer.from(JSON.stringify(repeating(JSON.parse(Buffer.from(bytesOf(script)).toString()), secrets)))
      for (const secret of secrets) expect(bytes.toString()).toContain(secret)
      const { user, ask } = await scene(double, rewritten(script, bytes, {}))
      const response = await ask(more)
      const texts = `${await response.text()} ${JSON.stringify(await logOf(user))}`
      expect(secrets.filter((secret) => texts.includes(secret))).toEqual([])
    })
  })

  if (!stream || double.lacks?.includes('events')) return
  describe('that breaks in the middle,', () => {
    withServer()
    breaking(double)
  })
})

const isOverSocket = (double: VendorDouble): boolean => double.stream({ text: 'x' }).contentType === messagesType

/** Tests of streams in which the client has got something. */
function breaking(double: VendorDouble): void {
  // Some vendors count in every event what they bill so far.
  const usage = { prompt: 100, completion: 6 }
  const callStream = () => double.stream({ text: 'So.', tools: [called], finish: 'tool_calls', usage })
  const hasTools = !double.lacks?.includes('tools')
  const isSocket = isOverSocket(double)

  async function broken(script: Script) {
    const { user, ask } = await scene(double, script)
    const response = await ask({ stream: true, ...(hasTools ? { tools } : {}) })
    const text = await response.text()
    return { read: response.status === 200 ? readEvents(text) : null, rows: await logOf(user) }
  }

  /** An honest end, and nothing charged but what came. */
  function expectHonest(at: number, { read, rows }: Awaited<ReturnType<typeof broken>>): void {
    if (read === null) {
      // What the vendor counted before its error is what it bills.
      for (const { quota, prompt_tokens, completion_tokens } of rows)
        expect([at, quota === 0 || (prompt_tokens <= usage.prompt && completion_tokens <= usage.completion)]).toEqual([at, true])
      return
    }
    expect([at, read.hasError, read.isEnded]).toEqual([at, true, false])
    for (const row of rows) {
      expect([at, row.end_reason]).toEqual([at, 'upstream_cut'])
      // With its reason everything was delivered, and what the vendor counted is what it charges.
      if (!read.isFinished)
        expect([at, row.completion_tokens, row.completion_tokens <= read.delivered.length]).toEqual([at, row.completion_tokens, true])
    }
  }

  test('a stream that is cut anywhere in a call of a tool ends as broken and without a reason', async () => {
    if (!hasTools) return
    const { contentType, frames } = callStream()
    for (let at = 1; at < frames.length; at += 1) {
      const half = frames[at]?.subarray(0, Math.ceil((frames[at]?.length ?? 0) / 2)) ?? new Uint8Array()
      const cut: Script = [{ do: 'pause', ms: 2 }, { do: 'cut' }]
      const got = await broken(pieces(contentType, isSocket ? frames.slice(0, at) : [...frames.slice(0, at), half], cut))
      if (got.read?.isEnded === true) {
        // Everything that counts was there: only the end mark was cut off.
        expect([at, got.read.isFinished, at]).toEqual([at, true, frames.length - 1])
        continue
      }
      expectHonest(at, got)
    }
  })

  test('a stream with an error after any of its frames, the usage included, ends as broken', async () => {
    const error = double.errorFrame()
    if (error === null) return
    const { contentType, frames } = hasTools ? callStream() : double.stream({ text: 'Hello there', usage })
    for (let at = 1; at < frames.length; at += 1) {
      const got = await broken(pieces(contentType, [...frames.slice(0, at), error]))
      if (got.read?.isEnded === true) {
        expect([at, got.read.isFinished, at]).toEqual([at, true, frames.length - 1])
        continue
      }
      expectHonest(at, got)
    }
  })
}
