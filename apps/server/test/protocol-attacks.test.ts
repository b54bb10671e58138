import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { entriesMax } from '../src/relay/ingress/kinds/entries.ts'
import { type TestApp, testApp } from './app.ts'
import { anthropicDouble } from './vendors/doubles/anthropic.ts'
import { bedrockDouble } from './vendors/doubles/bedrock.ts'
import { geminiDouble } from './vendors/doubles/gemini.ts'
import { openaiDouble } from './vendors/doubles/openai.ts'
import { responsesDouble } from './vendors/doubles/responses.ts'
import type { VendorDouble } from './vendors/vendor-double.ts'

// Hostile requests in the protocol of each client: what is refused is refused in the form of the protocol, is sent to no vendor, and is free.

const model = openaiDouble.model
const usage = { prompt: 100, completion: 5 }

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000 }))).key
  await app.make.channel({ models: model })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

type Block = { readonly type?: string; readonly text: string }

interface Door {
  readonly name: string
  readonly path: (model: string) => string
  /** A whole request with one message of these blocks. */
  readonly bodyOf: (model: string, blocks: readonly Block[]) => object
  /** Its name of a block's type; contents have none. */
  readonly blockType?: string
  /** The members that a request must have, as values that are none. */
  readonly odd: readonly object[]
  readonly isError: (body: unknown, status: number) => void
}

function isOfOpenAI(body: unknown): void {
  expect(body).toEqual({
    error: expect.objectContaining({ message: expect.any(String), type: expect.any(String), code: expect.any(String) }),
  })
}

function isOfAnthropic(body: unknown): void {
  expect(body).toEqual({
    type: 'error',
    error: { type: expect.stringMatching(/^(?:invalid_request_error|request_too_large)$/), message: expect.any(String) },
    request_id: expect.any(String),
  })
}

function isOfGoogle(body: unknown, status: number): void {
  const error = { code: status, message: expect.any(String), status: 'INVALID_ARGUMENT', details: expect.any(Array) }
  expect(body).toEqual({ error })
}

const messagesOf = (content: readonly Block[]) => [{ role: 'user', content }]
const contentsOf = (parts: readonly Block[]) => [{ role: 'user', parts }]
const oddMessages = [undefined, null, 'Hi', 5, {}, [], [5], ['Hi'], [null]].map((messages) => ({ messages }))
const oddContents = [undefined, null, 'Hi', 5, [], [5], ['Hi'], [{ parts: ['Hi'] }]].map((contents) => ({ contents }))
const oddLimits = (name: string) => [-5, 1.5, 1e300, '10', true, [], {}].map((limit) => ({ [name]: limit }))

const doors: readonly Door[] = [
  {
    name: 'OpenAI, chats',
    path: () => '/v1/chat/completions',
    bodyOf: (named, blocks) => ({ model: named, max_tokens: 100, messages: messagesOf(blocks) }),
    blockType: 'text',
    odd: [...oddMessages, ...oddLimits('max_tokens'), ...oddLimits('max_completion_tokens'), ...[0.5, 1_000, '2'].map((n) => ({ n }))],
    isError: isOfOpenAI,
  },
  {
    name: 'OpenAI, responses',
    path: () => '/v1/responses',
    bodyOf: (named, blocks) => ({ model: named, max_output_tokens: 100, input: messagesOf(blocks) }),
    blockType: 'input_text',
    odd: [...[undefined, null, '', 5, {}, [], [5], ['Hi']].map((input) => ({ input })), ...oddLimits('max_output_tokens')],
    isError: isOfOpenAI,
  },
  {
    name: 'Anthropic, messages',
    path: () => '/v1/messages',
    bodyOf: (named, blocks) => ({ model: named, max_tokens: 100, messages: messagesOf(blocks) }),
    blockType: 'text',
    odd: [...oddMessages, ...oddLimits('max_tokens'), { stream: 'yes' }, { stream: 1 }],
    isError: isOfAnthropic,
  },
  {
    name: 'Anthropic, a count of tokens',
    path: () => '/v1/messages/count_tokens',
    bodyOf: (named, blocks) => ({ model: named, messages: messagesOf(blocks) }),
    blockType: 'text',
    odd: oddMessages,
    isError: isOfAnthropic,
  },
  {
    name: 'Google, contents',
    path: (named) => `/v1beta/models/${named}:generateContent`,
    bodyOf: (_named, blocks) => ({ contents: contentsOf(blocks), generationConfig: { maxOutputTokens: 100 } }),
    odd: [...oddContents, ...oddLimits('maxOutputTokens').map((generationConfig) => ({ generationConfig }))],
    isError: isOfGoogle,
  },
  {
    name: 'Google, a stream of contents',
    path: (named) => `/v1beta/models/${named}:streamGenerateContent?alt=sse`,
    bodyOf: (_named, blocks) => ({ contents: contentsOf(blocks), generationConfig: { maxOutputTokens: 100 } }),
    odd: oddContents,
    isError: isOfGoogle,
  },
  {
    name: 'Google, a count of tokens',
    path: (named) => `/v1beta/models/${named}:countTokens`,
    bodyOf: (_named, blocks) => ({ contents: contentsOf(blocks) }),
    odd: oddContents,
    isError: isOfGoogle,
  },
]

const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
const post = ({ path }: Door, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  app.request(path(model), { method: 'POST', headers: headers(), body })

const blocksFor = ({ blockType: type }: Door, count: number, text = 'x'): readonly Block[] =>
  Array.from({ length: count }, () => (type === undefined ? { text } : { type, text }))
const plain = (door: Door): string => JSON.stringify(door.bodyOf(model, blocksFor(door, 1)))
const withMember = (door: Door, member: string): string => `${plain(door).slice(0, -1)},${member}}`

/** Expects an error of the protocol, and nothing sent. */
async function expectRefused(door: Door, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const before = app.upstream.received.length
  const response = await post(door, body)
  const text = await response.text()
  expect([response.status, text]).toEqual([400, expect.any(String)])
  door.isError(JSON.parse(text), 400)
  expect(app.upstream.received.length).toBe(before)
  return text
}

describe.each(doors.map((door) => [door.name, door] as const))('at the door of %s', (_, door) => {
  test.each([
    ['a million blocks', () => JSON.stringify(door.bodyOf(model, blocksFor(door, 1_000_000)))],
    ['lists a million deep', () => withMember(door, `"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)],
    ['objects a hundred deep', () => withMember(door, `"a":${'{"b":'.repeat(100)}1${'}'.repeat(100)}`)],
    ['a number that is infinite', () => withMember(door, '"temperature":1e999')],
    ['half of its text', () => plain(door).slice(0, -10)],
    ['two values', () => `${plain(door)}{}`],
    ['a list for an object', () => `[${plain(door)}]`],
    ['nothing', () => ''],
  ])('a body of %s is refused', async (_what, body) => {
    await expectRefused(door, body())
  })

  test.each([
    ['alone', (text: string) => text],
    ['in a body of more than a megabyte', (text: string) => text.replace('"x"', `"${'x'.repeat(1_500_000)}"`)],
  ])('bytes that are no UTF-8 are refused, %s', async (_where, grown) => {
    const text = grown(plain(door))
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe4, 0xb8]]) {
      const place = text.indexOf('x"')
      const body = Buffer.concat([Buffer.from(text.slice(0, place)), Buffer.from(bytes), Buffer.from(text.slice(place))])
      await expectRefused(door, Uint8Array.from(body))
    }
  })

  test('members of other types and numbers out of range are refused, and named', async () => {
    for (const odd of door.odd) {
      const body = JSON.parse(plain(door))
      const text = await expectRefused(door, JSON.stringify({ ...body, ...odd }))
      const [name = ''] = Object.keys(odd)
      expect(text).toContain(name === 'generationConfig' ? 'maxOutputTokens' : name)
    }
  })

  test('of members that come twice the last one counts, for the price as for the vendor', async () => {
    app.upstream.fallback(({ path }) => (path === '/v1/responses' ? responsesDouble : openaiDouble).whole({ text: 'Done', usage }))
    const limit = '"max_tokens":100,"max_completion_tokens":100,"max_output_tokens":100'
    const first = `{"model":"gpt-4o-none","messages":[],"contents":[],"input":[],"stream":"yes",${limit},`
    const response = await post(door, first + JSON.stringify({ stream: false, ...JSON.parse(plain(door)) }).slice(1))
    // A door that does not know a member may still refuse it.
    if (response.status !== 200) door.isError(await response.json(), 400)
    else await response.text()
    expect([200, 400]).toContain(response.status)
    const { body = '' } = app.upstream.received.at(-1) ?? {}
    for (const name of ['"model"', '"messages"']) expect(body.split(`${name}:`).length).toBeLessThanOrEqual(2)
    expect(body).not.toContain('gpt-4o-none')
  })

  test('a client that leaves in the middle of its request costs nothing', async () => {
    const before = app.upstream.received.length
    const { port, hostname } = new URL(app.url)
    const body = plain(door)
    const socket = connect(Number(port), hostname)
    const head = `POST ${door.path(model)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    await new Promise<void>((resolve) => {
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`, () => resolve())
    })
    socket.resetAndDestroy()
    expect((await (await app.request('/healthz')).text()).length).toBeGreaterThan(0)
    expect(app.upstream.received.length).toBe(before)
  })
})

const vendors: readonly VendorDouble[] = [openaiDouble, anthropicDouble, geminiDouble, bedrockDouble]
const talking = doors.filter(({ path }) => !/count|stream/.test(path(model)))

describe.each(vendors.map((double) => [double.name, double] as const))('at %s', (_, double) => {
  test.each(talking.map((door) => [door.name, door] as const))(
    'as many blocks as a request may have arrive, from %s',
    async (_name, door) => {
      const groups = `g${crypto.randomUUID().slice(0, 8)}`
      await app.make.channel({ groups, type: double.type, key: double.key, models: double.model })
      const { key: token } = await app.make.token(await app.make.user({ groups, quota: 1_000_000_000 }))
      const isOfResponses = door.name === 'OpenAI, responses' && double === openaiDouble
      app.upstream.script((isOfResponses ? responsesDouble : double).whole({ text: 'Done', usage }))
      // The message itself is an entry too.
      const count = entriesMax - 1
      const response = await app.request(door.path(double.model), {
        method: 'POST',
        headers: { ...headers(), authorization: `Bearer ${token}` },
        body: JSON.stringify(door.bodyOf(double.model, blocksFor(door, count, 'word'))),
      })
      const text = await response.text()
      expect([response.status, text]).toEqual([200, expect.stringContaining('Done')])
      const { body } = app.upstream.received.at(-1) ?? { body: '' }
      expect(body.split('word').length - 1).toBe(count)
    },
  )
})
