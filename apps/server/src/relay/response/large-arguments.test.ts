import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { indexKeysMax, innerCharactersMax, marksMax } from '@sluice/vendors/core/json-counter'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatChunk, chatResponse, events, json } from '../../../test/fake-upstream.ts'
import { messageScene } from '../../../test/message-scene.ts'

// A vendor that calls functions with more JSON than a body may have: clients that take objects get an error, and nothing of it is parsed.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'ModelRatio', value: JSON.stringify({ [model]: 0.1 }) })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

/** No table knows how much it writes. */
const model = 'model-of-our-own'
const callsMax = 2
const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"${index * 7_919}":1`).join(',')}}`
const list = (count: number): string => `{"a":[${'0,'.repeat(count)}0]}`
const callOf = (text: string, index: number) => ({ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: text } })

function responseOf(texts: readonly string[]) {
  const { choices, ...rest } = chatResponse()
  const calls = texts.map((text, at) => {
    const { index: _, ...call } = callOf(text, at)
    return call
  })
  const message = { role: 'assistant', content: null, tool_calls: calls }
  return json({ ...rest, choices: [{ ...choices[0], message, finish_reason: 'tool_calls' }] })
}

/** Arguments come in pieces, which are cut within names of members. */
function streamOf(texts: readonly string[]) {
  const chunks = texts.flatMap((text, index) => {
    const cut = Math.floor(text.length / 2)
    return [callOf(text.slice(0, cut), index), { index, function: { arguments: text.slice(cut) } }].map((call) =>
      chatChunk({ tool_calls: [call] }),
    )
  })
  return events([chatChunk({ role: 'assistant', content: 'I look' }), ...chunks, chatChunk({}, 'tool_calls'), '[DONE]'])
}

const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const generated = { contents: [{ role: 'user', parts: [{ text: 'Go' }] }] }
const protocols = [
  ['messages', '/v1/messages', '/v1/messages', { model, max_tokens: 900_000, messages: [{ role: 'user', content: 'Go' }], tools }],
  ['generateContent', `/v1beta/models/${model}:generateContent`, `/v1beta/models/${model}:streamGenerateContent?alt=sse`, generated],
] as const

describe.each(protocols)('a response as %s', (_kind, path, streamPath, body) => {
  async function ask(texts: readonly string[], isStream: boolean) {
    const { key, log } = await messageScene(app, [{ type: 25, models: model }], [(isStream ? streamOf : responseOf)(texts)])
    const response = await app.request(isStream ? streamPath : path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(isStream && 'model' in body ? { ...body, stream: true } : body),
    })
    return { status: response.status, text: await response.text(), row: await log() }
  }

  test.each([
    ['too many members named by numbers', Array.from({ length: callsMax }, () => members(indexKeysMax / 2 + 1)), 'names are integers'],
    ['too many values', Array.from({ length: callsMax }, () => list(marksMax / 2)), 'too many values'],
  ])('with %s in its calls is an error that says so', async (_name, texts, reason) => {
    const whole = await ask(texts, false)
    expect([whole.status, whole.text]).toEqual([502, expect.stringContaining(reason)])
    const streamed = await ask(texts, true)
    expect(streamed.status).toBe(200)
    expect(streamed.text.trim().split('\n').at(-1)).toContain(reason)
    expect(streamed.text).not.toContain('message_stop')
    expect(streamed.text).not.toContain('finishReason')
    expect(streamed.row?.quota).toBeGreaterThan(0)
  })

  test('with arguments that are too long is an error that says so', async () => {
    const text = JSON.stringify({ a: 'x'.repeat(innerCharactersMax / callsMax) })
    const whole = await ask(
      Array.from({ length: callsMax }, () => text),
      false,
    )
    expect([whole.status, whole.text]).toEqual([502, expect.stringContaining(`more than ${innerCharactersMax} characters`)])
  })

  test('with as much as the limits has what the model wrote', async () => {
    const texts = Array.from({ length: callsMax }, () => members(indexKeysMax / 2))
    const whole = await ask(texts, false)
    expect(whole.status).toBe(200)
    expect(whole.text.split(texts[0] ?? '')).toHaveLength(callsMax + 1)
    expect((await ask(texts, true)).text).toMatch(/message_stop|finishReason/)
  })
})
