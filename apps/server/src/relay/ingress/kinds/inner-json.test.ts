import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { indexKeysMax, innerCharactersMax, marksMax } from '@sluice/vendors/core/json-counter'
import { carriedText } from '@sluice/vendors/protocols/shared/carried-reasoning'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { json } from '../../../../test/fake-upstream.ts'

// JSON within the texts of a request is parsed for vendors that take objects, so it has the limits of the body.

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  for (const [type, models] of [
    [1, 'gpt-4o'],
    [14, 'claude-sonnet-4-5'],
    [24, 'gemini-2.5-flash'],
  ] as const)
    await app.make.channel({ type, models })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

/** A body that was sent to a vendor, and the response to the request. */
async function ask(path: string, body: object | string) {
  const before = app.upstream.received.length
  app.upstream.script(json({ error: { message: 'no', type: 'invalid_request_error' } }, 400))
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const upstreamBodies = app.upstream.received.slice(before).map((received) => received.body)
  app.upstream.script()
  return { status: response.status, text, upstreamBodies }
}

const members = (count: number, from = 0): string =>
  `{${Array.from({ length: count }, (_, index) => `"${(from + index) * 7_919}":1`).join(',')}}`
const half = indexKeysMax / 2
const question = { role: 'user', content: 'a' }
const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'f', arguments: text } })
const result = (id: string, text: string) => ({ role: 'tool', tool_call_id: id, content: text })
const chatOf = (model: string, first: string, second: string, results: readonly string[] = ['b', 'b']) => ({
  ...{ model, max_tokens: 9 },
  messages: [
    question,
    { role: 'assistant', content: null, tool_calls: [call('c1', first), call('c2', second)] },
    ...results.map((text, index) => result(`c${index + 1}`, text)),
  ],
})
const carried = (text: string): string => carriedText({ extra: JSON.parse(text) })
const ownMark = atob(carried('{}').slice(0, 40)).split('{')[0] ?? ''

/** A request with two texts of JSON, where the second one is, and how the protocol reports an error. */
const requests: readonly (readonly [string, string, string, (first: string, second: string) => object, object])[] = [
  [
    'arguments of calls in a chat',
    '/v1/chat/completions',
    'messages[1].tool_calls[1].function.arguments',
    (first, second) => chatOf('claude-sonnet-4-5', first, second),
    { error: { type: 'invalid_request_error', param: 'messages[1].tool_calls[1].function.arguments', code: 'inner_json_too_large' } },
  ],
  [
    'arguments of calls in the older form',
    '/v1/chat/completions',
    'messages[2].function_call.arguments',
    (first, second) => ({
      model: 'gpt-4o',
      messages: [question, ...[first, second].map((text) => ({ role: 'assistant', function_call: { name: 'f', arguments: text } }))],
    }),
    { error: { type: 'invalid_request_error', code: 'inner_json_too_large' } },
  ],
  [
    'arguments of calls in a response',
    '/v1/responses',
    'input[2].arguments',
    (first, second) => ({
      model: 'gemini-2.5-flash',
      input: [question, ...[first, second].map((text, at) => ({ type: 'function_call', call_id: `c${at}`, name: 'f', arguments: text }))],
    }),
    { error: { type: 'invalid_request_error', param: 'input[2].arguments', code: 'inner_json_too_large' } },
  ],
  [
    'reasoning that carries what its vendor wants back',
    '/v1/responses',
    'input[2].encrypted_content',
    (first, second) => ({
      model: 'gemini-2.5-flash',
      input: [
        question,
        ...[first, second].map((text, at) => ({ type: 'reasoning', id: `r${at}`, summary: [], encrypted_content: carried(text) })),
      ],
    }),
    { error: { type: 'invalid_request_error', code: 'inner_json_too_large' } },
  ],
  [
    'signatures of messages',
    '/v1/messages',
    'messages[1].content[1].signature',
    (first, second) => ({
      ...{ model: 'gpt-4o', max_tokens: 9 },
      messages: [
        question,
        {
          role: 'assistant',
          content: [first, second].map((text) => ({ type: 'thinking', thinking: 'a', signature: ownMark + carried(text) })),
        },
        question,
      ],
    }),
    { type: 'error', error: { type: 'invalid_request_error' } },
  ],
  [
    'signatures of contents',
    '/v1beta/models/gpt-4o:generateContent',
    'contents[1].parts[1].thoughtSignature',
    (first, second) => ({
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [first, second].map((text) => ({ text: 'b', thoughtSignature: carried(text) })) },
        { role: 'user', parts: [{ text: 'a' }] },
      ],
    }),
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
]

describe.each(requests)('JSON in %s', (_name, path, place, bodyOf, form) => {
  test('with too many members named by numbers is refused by name, and nothing is charged', async () => {
    const { quota } = await app.data(contract.account.self, {}, user)
    const refused = await ask(path, bodyOf(members(half), members(half + 1, half)))
    expect([refused.status, refused.upstreamBodies]).toEqual([400, []])
    expect(refused.text).toContain(place)
    expect(refused.text).toContain('names are integers')
    expect(JSON.parse(refused.text)).toMatchObject(form)
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(quota)
  })

  test('with too many values is refused by name', async () => {
    const list = `{"a":[${'0,'.repeat(marksMax / 2)}0]}`
    const refused = await ask(path, bodyOf(list, list))
    expect([refused.status, refused.upstreamBodies, refused.text]).toEqual([400, [], expect.stringContaining(place)])
  })

  test('that is too long is refused by name', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(innerCharactersMax / 2) })
    const refused = await ask(path, bodyOf(text, text))
    expect([refused.status, refused.upstreamBodies, refused.text]).toEqual([400, [], expect.stringContaining(place)])
    expect(refused.text).toContain(String(innerCharactersMax))
  })

  test('is taken within the limits', async () => {
    expect((await ask(path, bodyOf(members(half), members(half, half)))).upstreamBodies).toHaveLength(1)
  })
})

describe('JSON that is not parsed', () => {
  const large = members(2 * indexKeysMax)

  test('counts nowhere: what people write, and results of tools', async () => {
    for (const model of ['gpt-4o', 'claude-sonnet-4-5']) {
      const { messages, ...rest } = chatOf(model, '{}', '{}', [large, large])
      const { upstreamBodies } = await ask('/v1/chat/completions', {
        ...rest,
        messages: [{ role: 'user', content: large }, ...messages.slice(1)],
      })
      expect(upstreamBodies[0]?.split(JSON.stringify(large).slice(1, -1))).toHaveLength(4)
    }
  })

  test('is sent as a text where a vendor takes results as objects', async () => {
    const small = members(half)
    const { upstreamBodies } = await ask('/v1/chat/completions', chatOf('gemini-2.5-flash', '{}', '{}', [small, large]))
    const { contents } = JSON.parse(upstreamBodies[0] ?? '')
    const parts: readonly { readonly functionResponse: { readonly response: object } }[] = contents.at(-1).parts
    expect(parts.map(({ functionResponse: { response } }) => JSON.stringify(response))).toEqual([small, JSON.stringify({ result: large })])
  })
})

describe('a body with members named by numbers', () => {
  const bodyOf = (count: number, padding: number): string =>
    `{"model":"gpt-4o","messages":[{"role":"user","content":"${'a'.repeat(padding)}"}],"metadata":{"a":"b"},"logit_bias":{},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","x-ids":${members(count)}}}}]}`

  test.each([
    ['short', 0],
    ['long', 2_000_000],
  ])('is refused above the limit if it is %s', async (_name, padding) => {
    const refused = await ask('/v1/chat/completions', bodyOf(indexKeysMax + 1, padding))
    expect([refused.status, refused.upstreamBodies]).toEqual([400, []])
    expect(JSON.parse(refused.text)).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_json' } })
    expect(refused.text).toContain('names are integers')
    const taken = await ask('/v1/chat/completions', bodyOf(indexKeysMax, padding))
    expect(taken.upstreamBodies).toHaveLength(1)
  })
})
