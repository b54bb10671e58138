import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import type { Script, Step } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { ollamaDouble } from './doubles/ollama.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import type { VendorDouble } from './vendor-double.ts'

// Responses in another frame than requested, or in a broken one: each client gets what the vendor wrote, in the format that it requested.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const responseText = 'It is done, all of it.'
const scripted = { text: responseText, finish: 'stop', usage: { prompt: 100, completion: 20 } } as const
const decoder = new TextDecoder()
const clients: readonly ClientStream[] = [chats, messages, responses, generated]

async function sceneAt({ type, model, key, config, other, grant }: VendorDouble) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url), baseUrl: app.upstream.url },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => grant?.(request) ?? null)
  const user = await app.make.user({ groups, quota: 100_000_000 })
  return { user, key: (await app.make.token(user, { isUnlimited: true })).key }
}

async function ask(
  client: ClientStream,
  double: VendorDouble,
  { script, isStream }: { readonly script: Script; readonly isStream: boolean },
) {
  const { user, key } = await sceneAt(double)
  app.upstream.script(script)
  const { model } = double
  const path = isStream ? client.pathOf(model) : client.pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
  const body = { ...client.bodyOf({ model, content: 'Hi' }), ...(client === generated ? {} : { stream: isStream }) }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  await app.app.ledger.drain()
  const row = (await app.data(contract.log.list, { username: user.username }))[0]
  return { status: response.status, text, row }
}

const head = (type: string): Step => ({ do: 'head', status: 200, headers: { 'content-type': type } })
const sending = (type: string, ...bytes: readonly (string | Uint8Array)[]): Script => [
  head(type),
  ...bytes.map((piece): Step => ({ do: 'send', bytes: piece })),
]

/** Vendors whose streams are server-sent events, and that know whole responses, too. */
const withEvents = doubles.filter((double) => {
  const lacks = double.lacks ?? []
  return !lacks.includes('stream') && !lacks.includes('events') && double.stream(scripted).contentType.startsWith('text/event-stream')
})
const framesOf = (double: VendorDouble): readonly string[] => double.stream(scripted).frames.map((frame) => decoder.decode(frame))
const wholeOf = (double: VendorDouble): string => {
  const step = double.whole(scripted).find(({ do: does }) => does === 'send')
  return step?.do === 'send' ? (typeof step.bytes === 'string' ? step.bytes : decoder.decode(step.bytes)) : ''
}

/** One vendor of each form, for clients that other vendors are translated to in the same way. */
const forms: ReadonlySet<string> = new Set([
  'OpenAI',
  'OpenAI, models that reason',
  'Anthropic',
  'Gemini',
  'Cohere',
  'Baidu, before Qianfan’s second interface',
])

/** OpenAI's own models are called through the Responses API, which has a double of its own. */
const pairs = clients.flatMap((client) =>
  withEvents
    .filter((double) => client !== responses || double !== openaiDouble)
    .filter(({ name }) => client === chats || forms.has(name))
    .filter((double) => client === responses || double !== responsesDouble)
    .map((double) => [client.name, double.name, client, double] as const),
)

const whole = (text: string): string => text.replaceAll(/","(?:delta|text)":"/g, '')

describe.each(pairs)('%s at %s', (_client, _vendor, client, double) => {
  test.each(['text/event-stream', 'application/json', 'text/plain'])('events for a whole request, called %s', async (type) => {
    const { status, text, row } = await ask(client, double, { script: sending(type, framesOf(double).join('')), isStream: false })
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    expect(whole(JSON.stringify(JSON.parse(text)))).toContain(responseText)
    expect(row?.quota).toBeGreaterThan(0)
  })

  test.each(['application/json', 'text/plain'])('events for a stream, called %s', async (type) => {
    const { text } = await ask(client, double, { script: sending(type, ...framesOf(double)), isStream: true })
    expect(client.read(text)).toEqual({ text: responseText, errors: [], isEnded: true })
  })

  const isJson = wholeOf(double).startsWith('{')
  test.each(isJson ? ['application/json', 'text/event-stream', 'text/plain'] : [])(
    'a whole response for a stream, called %s',
    async (type) => {
      const { text } = await ask(client, double, { script: sending(type, wholeOf(double)), isStream: true })
      expect(client.read(text)).toEqual({ text: responseText, errors: [], isEnded: true })
    },
  )

  test.each(isJson ? ['text/event-stream', 'text/plain'] : [])('a whole response for a whole request, called %s', async (type) => {
    const { status, text, row } = await ask(client, double, { script: sending(type, wholeOf(double)), isStream: false })
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    expect(whole(JSON.stringify(JSON.parse(text)))).toContain(responseText)
    expect(row?.quota).toBeGreaterThan(0)
  })

  test('events without blank lines', async () => {
    const frames = framesOf(double).map((frame) => frame.replace(/\r?\n\r?\n$/, '\n'))
    for (const pieces of [[frames.join('')], frames, [frames.join('').trimEnd()]]) {
      const { text } = await ask(client, double, { script: sending('text/event-stream', ...pieces), isStream: true })
      expect(client.read(text)).toEqual({ text: responseText, errors: [], isEnded: true })
    }
  })

  test('two objects in one line', async () => {
    const frames = framesOf(double)
    const at = frames.findIndex((frame, place) => place > 0 && / ?data: ?\{/.test(frame) && /data: ?\{/.test(frames[place - 1] ?? ''))
    const [first = '', second = ''] = frames.slice(at - 1, at + 1)
    const joined = `${first.trimEnd()}${second.slice(second.indexOf('{'))}`
    const { text } = await ask(client, double, {
      script: sending('text/event-stream', ...frames.slice(0, at - 1), joined, ...frames.slice(at + 1)),
      isStream: true,
    })
    expect(client.read(text)).toEqual({ text: responseText, errors: [], isEnded: true })
    expect(text).not.toContain('}{')
  })

  test.each([
    ['in a list', (error: object) => `data: ${JSON.stringify([{ error }])}\n\n`],
    ['as an event of that name', (error: object) => `event: error\ndata: ${JSON.stringify(error)}\n\n`],
    ['within an event of that name', (error: object) => `event: error\ndata: ${JSON.stringify({ error })}\n\n`],
  ])('an error in a running stream %s is reported in the words of the vendor', async (_form, written) => {
    const frames = framesOf(double)
    const half = frames.findIndex((frame) => /"It/.test(frame))
    const bytes = written({ message: 'It is full today' })
    // What comes before it is read for itself.
    const script: Script = [...sending('text/event-stream', ...frames.slice(0, half + 1)), { do: 'pause', ms: 30 }, { do: 'send', bytes }]
    const { text } = await ask(client, double, { script, isStream: true })
    expect(client.read(text)).toMatchObject({ errors: [expect.any(String)], isEnded: false })
    expect(text).toContain('It is full today')
    const collected = await ask(client, double, { script, isStream: false })
    expect([collected.status >= 400, collected.text]).toEqual([true, expect.stringContaining('It is full today')])
  })

  test.each([
    ['an error in the form of OpenAI', { error: { message: 'It is full today' } }],
    ['an error of a form of its own', { detail: 'It is full today' }],
    ['another error of a form of its own', { error_type: 'full', error_message: 'It is full today' }],
    ['an error in a list', [{ error: { message: 'It is full today' } }]],
  ])('JSON in the place of events: %s', async (_form, error) => {
    for (const body of [JSON.stringify(error), `data: ${JSON.stringify(error)}\n\n`]) {
      const { status, text } = await ask(client, double, { script: sending('text/event-stream', body), isStream: true })
      expect([status >= 400, text]).toEqual([true, expect.stringContaining('It is full today')])
    }
  })
})

describe.each(clients.map((client) => [client.name, client] as const))('%s at Ollama', (_name, client) => {
  const types = ['application/x-ndjson', 'application/json', 'text/plain', 'application/octet-stream', 'text/event-stream', null]
  const lines = ollamaDouble.stream({ ...scripted, text: responseText.repeat(40) }).frames.map((frame) => decoder.decode(frame))

  test.each(types)('lines of JSON, called %s, are read for a stream and for a whole request', async (type) => {
    for (const bytes of [[lines.join('')], lines]) {
      const script: Script = [
        { do: 'head', status: 200, headers: type === null ? {} : { 'content-type': type } },
        ...bytes.map((piece): Step => ({ do: 'send', bytes: piece })),
      ]
      const { text } = await ask(client, ollamaDouble, { script, isStream: true })
      expect(client.read(text)).toEqual({ text: responseText.repeat(40), errors: [], isEnded: true })
      const { status, text: responded, row } = await ask(client, ollamaDouble, { script, isStream: false })
      expect([status, responded.includes(responseText.repeat(40))]).toEqual([200, true])
      expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
    }
  })

  test.each(types)('an object with a line feed behind it, called %s, is a whole response', async (type) => {
    const script: Script = [
      { do: 'head', status: 200, headers: type === null ? {} : { 'content-type': type } },
      { do: 'send', bytes: `${wholeOf(ollamaDouble)}\n` },
    ]
    const { text } = await ask(client, ollamaDouble, { script, isStream: true })
    expect(client.read(text)).toEqual({ text: responseText, errors: [], isEnded: true })
    expect((await ask(client, ollamaDouble, { script, isStream: false })).text).toContain(responseText)
  })
})
