import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import type { Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// Numbers of tools reach the vendor and the client with every digit, sign and form, whatever protocols both speak.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const texts = ['1234567890123456789', '1.0', '-0.0', '2E3', '0.12345678901234567890'] as const
const [id, whole, zero, power, fraction] = texts
const values = `{"id":${id},"list":[1,${whole},[${zero}]],"inner":{"power":${power},"fraction":${fraction}}}`
const schema = `{"type":"object","properties":{"id":{"type":"integer","enum":[${id}],"maximum":${power}}}}`
const results = JSON.stringify(values)

interface Client {
  readonly path: (model: string, isStream: boolean) => string
  /** A body with a call and its result in the history. */
  readonly body: (model: string, isStream: boolean) => string
}

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, isStream) => `{"model":"${model}","stream":${isStream},"max_tokens":100,"temperature":1.0,
      "tools":[{"type":"function","function":{"name":"find","parameters":${schema}}}],
      "messages":[{"role":"user","content":"Find it"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${JSON.stringify(values)}}}]},
        {"role":"tool","tool_call_id":"call_1","content":${results}}]}`,
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, isStream) => `{"model":"${model}","stream":${isStream},"max_output_tokens":100,"temperature":1.0,
      "tools":[{"type":"function","name":"find","strict":false,"parameters":${schema}}],
      "input":[{"role":"user","content":"Find it"},
        {"type":"function_call","call_id":"call_1","name":"find","arguments":${JSON.stringify(values)}},
        {"type":"function_call_output","call_id":"call_1","output":${results}}]}`,
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, isStream) => `{"model":"${model}","stream":${isStream},"max_tokens":100,"temperature":1.0,
      "tools":[{"name":"find","input_schema":${schema}}],
      "messages":[{"role":"user","content":"Find it"},
        {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find","input":${values}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${results}}]}]}`,
  },
  generateContent: {
    path: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => `{"generationConfig":{"maxOutputTokens":100,"temperature":1.0},
      "tools":[{"functionDeclarations":[{"name":"find","parametersJsonSchema":${schema}}]}],
      "contents":[{"role":"user","parts":[{"text":"Find it"}]},
        {"role":"model","parts":[{"functionCall":{"name":"find","args":${values}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"find","response":${values}}}]}]}`,
  },
}

/** Writes its numbers as they stand in a text. */
// Holds: the engine has `JSON.rawJSON`, with which vendors' doubles write the text of these values.
const raw = (text: string): object => (JSON as unknown as { rawJSON(text: string): object }).rawJSON(text)
const input = {
  ...{ id: raw(id), list: [1, raw(whole), [raw(zero)]] },
  inner: { power: raw(power), fraction: raw(fraction) },
}
const scripted = { tools: [{ name: 'find', input }], finish: 'tool_calls', usage: { prompt: 100, completion: 20 } } as const

async function tokenAt({ type, model, key, config, other, grant }: VendorDouble): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => grant?.(request) ?? null)
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))).key
}

/** Both a text with JSON in it and JSON have the numbers behind these marks. */
const unescaped = (text: string): string => text.replaceAll(/\\+"/g, '"').replaceAll(/\s/g, '')

/** Puts the pieces of arguments in events of streams together. */
function joined(text: string): string {
  const parts = [...text.matchAll(/"(?:arguments|partial_json|delta)":"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) =>
    JSON.parse(`"${part}"`),
  )
  return `${unescaped(text)}${unescaped(parts.join(''))}`
}

const withTools = doubles.filter(({ lacks = [] }) => !lacks.includes('tools'))

/** OpenAI's own models are called through the Responses API, which has a double of its own. */
const doublesFor = (client: string): readonly VendorDouble[] =>
  client === 'responses' ? withTools.filter((double) => double !== openaiDouble) : withTools

describe.each(Object.entries(clients))('%s', (client, { path, body }) => {
  describe.each(doublesFor(client).map((double) => [double.name, double] as const))('at %s', (_name, double) => {
    const isStreamed = !(double.lacks ?? []).includes('stream')
    test.each(isStreamed ? [false, true] : [false])('a stream: %p', async (isStream) => {
      const key = await tokenAt(double)
      const { contentType, frames } = isStream ? double.stream(scripted) : { contentType: '', frames: [] }
      const script: Script = isStream ? pieces(contentType, frames) : double.whole(scripted)
      app.upstream.script(script)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
      const response = await app.request(path(double.model, isStream), { method: 'POST', headers, body: body(double.model, isStream) })
      const responseText = await response.text()
      expect([response.status, response.status === 200 ? '' : responseText]).toEqual([200, ''])
      const upstreamBody = unescaped(app.upstream.received.findLast((request) => double.grant?.(request) == null)?.body ?? '')
      const parts = unescaped(values)
      // The call and its result.
      expect(upstreamBody.split(parts).length - 1).toBeGreaterThanOrEqual(2)
      expect(upstreamBody).toContain(`"maximum":${power}`)
      expect(upstreamBody).toContain(`"enum":[${id}]`)
      expect(joined(responseText)).toContain(parts)
    })
  })
})
