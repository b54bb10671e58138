import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { messagesType, type Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// A stream in which a call of a tool comes twice, in small packets and after another channel has failed, as clients of two protocols get it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const name = 'weather'
const input = { city: 'Porto' }
const usage = { prompt: 100, completion: 6 }

/** Vendors whose doubles send a call whole, with an id, or one call a response. */
const whole = doubles.filter(({ type, lacks = [] }) => [1, 15, 18, 23].includes(type) && !lacks.includes('tools'))

/** Each frame with a whole call comes twice. */
function twice(double: VendorDouble): Script {
  const { contentType, frames } = double.stream({ text: 'So.', tools: [{ name, input }], finish: 'tool_calls', usage })
  const hasCall = (frame: Uint8Array): boolean => [name, 'Porto'].every((part) => Buffer.from(frame).includes(part))
  const doubled = frames.flatMap((frame) => (hasCall(frame) ? [frame, frame] : [frame]))
  expect(doubled.length).toBeGreaterThan(frames.length)
  if (contentType === messagesType) return pieces(contentType, doubled)
  const bytes = Buffer.concat(doubled)
  return pieces(
    contentType,
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_packet, at) => bytes.subarray(at * 7, at * 7 + 7)),
  )
}

async function ask(double: VendorDouble, path: string, body: object) {
  const { type, model, config, other } = double
  const key = double.key.replaceAll('{upstream}', app.upstream.url)
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key: token } = await app.make.token(user)
  const optional = { ...(config === undefined ? {} : { config }), ...(other === undefined ? {} : { other }) }
  for (const priority of [1, 0]) await app.make.channel({ groups, type, key, models: model, priority, ...optional })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(double.error('unavailable') ?? [{ do: 'cut' }])
  app.upstream.script(twice(double))
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }], ...body }),
  })
  const text = await response.text()
  await app.app.ledger.drain()
  return { text, rows: await app.data(contract.log.list, { username: user.username }) }
}

/** The data of the events, without the terminator. */
const eventsIn = (text: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    // Holds: every event is an object.
    .map((line) => JSON.parse(line.slice('data: '.length)) as Readonly<Record<string, unknown>>)

interface Chunk {
  readonly choices?: ReadonlyArray<{
    readonly delta?: {
      readonly tool_calls?: ReadonlyArray<{ readonly index: number; readonly function?: { readonly arguments?: string } }>
    }
  }>
}

describe.each(whole.map((double) => [double.name, double] as const))('a call that comes twice at %s', (_name, double) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }

  test('is one call of a chat, charged once', async () => {
    const { text, rows } = await ask(double, '/v1/chat/completions', { tools: [{ type: 'function', function: { name, parameters } }] })
    // Holds: the events of a chat are chunks.
    const calls = (eventsIn(text) as readonly Chunk[]).flatMap(({ choices = [] }) =>
      choices.flatMap(({ delta }) => delta?.tool_calls ?? []),
    )
    expect([...new Set(calls.map(({ index }) => index))]).toEqual([0])
    expect(JSON.parse(calls.map((call) => call.function?.arguments ?? '').join(''))).toEqual(input)
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
    expect(rows).toMatchObject([{ attempts: 2, ...(double.lacks?.includes('usage') ? {} : { completion_tokens: usage.completion }) }])
  })

  test('is one use of a tool in a message', async () => {
    const { text } = await ask(double, '/v1/messages', { max_tokens: 100, tools: [{ name, input_schema: parameters }] })
    const events = eventsIn(text)
    // Holds: Anthropic's events have these members.
    const started = events.filter(({ content_block: block }) => (block as { readonly type?: string } | undefined)?.type === 'tool_use')
    expect(started).toHaveLength(1)
    const parts = events.flatMap(({ delta }) => (delta as { readonly partial_json?: string } | undefined)?.partial_json ?? [])
    expect(JSON.parse(parts.join(''))).toEqual(input)
    expect(events.at(-1)).toMatchObject({ type: 'message_stop' })
  })
})
