import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import type { Script } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { baiduDouble } from './doubles/baidu.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { cohereDouble } from './doubles/cohere.ts'
import { mistralDouble, moonshotDouble } from './doubles/compatible.ts'
import { cloudClaudeDouble, cloudGeminiDouble, geminiDouble } from './doubles/gemini.ts'
import { ollamaDouble } from './doubles/ollama.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import { tencentDouble } from './doubles/tencent.ts'
import { type TalkingClient, talkingClients } from './two-turns.ts'
import {
  baiduWire,
  chatWire,
  cohereWire,
  contentWire,
  converseWire,
  messageWire,
  mistralWire,
  ollamaWire,
  type Piece,
  responseWire,
  tencentWire,
  type Wire,
} from './upstream-turns.ts'
import { pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// What every vendor receives in the second turn of every client: the calls that it made, each with its result, and what the user says then.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

/** An image of one dot. */
const imageData = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const usage = { prompt: 100, completion: 20 }
const reasoning = 'I must look it up'
const question = 'How is the weather?'
const toolCalls = [
  { name: 'weather', input: { city: 'Lisboa "ü"' } },
  { name: 'weather', input: { city: 'Rio' } },
  { name: 'now', input: {} },
]

interface Vendor {
  readonly double: VendorDouble
  readonly wire: Wire
  /** How its ids begin; it has none without this. */
  readonly ids?: RegExp
  /** What must come back of the reasoning, as the vendor made it. */
  readonly proofs?: readonly string[]
}

const vendors: readonly Vendor[] = [
  { double: openaiDouble, wire: chatWire, ids: /^call_\d$/ },
  { double: responsesDouble, wire: responseWire, ids: /^call_\d$/ },
  { double: moonshotDouble, wire: chatWire, ids: /^call_\d$/, proofs: [`"reasoning_content":"${reasoning}"`] },
  { double: mistralDouble, wire: mistralWire, ids: /^\w{9}$/ },
  {
    ...{ double: anthropicDouble, wire: messageWire, ids: /^toolu_\d$/ },
    proofs: [`{"type":"thinking","thinking":"${reasoning}","signature":"EqQBCg=="}`],
  },
  { double: bedrockClaudeDouble, wire: messageWire, ids: /^toolu_\d$/, proofs: ['"signature":"EqQBCg=="'] },
  { double: cloudClaudeDouble, wire: messageWire, ids: /^toolu_\d$/, proofs: ['"signature":"EqQBCg=="'] },
  { double: geminiDouble, wire: contentWire, proofs: ['"thoughtSignature":"EqQBCg=="'] },
  { double: cloudGeminiDouble, wire: contentWire, proofs: ['"thoughtSignature":"EqQBCg=="'] },
  { double: bedrockDouble, wire: converseWire, ids: /^tooluse_\d$/, proofs: [`{"text":"${reasoning}","signature":"EqQB"}`] },
  { double: cohereDouble, wire: cohereWire, ids: /^(?:weather|now)_\d$/ },
  { double: ollamaDouble, wire: ollamaWire },
  { double: tencentDouble, wire: tencentWire, ids: /^call_\d$/ },
  { double: baiduDouble, wire: baiduWire },
]

const has = ({ lacks = [] }: VendorDouble, feature: 'several calls' | 'reasoning' | 'images'): boolean => !lacks.includes(feature)

function summaryOf(double: VendorDouble): ScriptedResponse {
  const tools = has(double, 'several calls') ? toolCalls : toolCalls.slice(0, 1)
  // Baidu's response is either a text or a call.
  const intro = has(double, 'several calls') ? { text: 'I look.' } : {}
  // Mistral's double thinks or calls.
  const thinks = has(double, 'reasoning') && double !== mistralDouble
  return { ...intro, tools, finish: 'tool_calls', usage, ...(thinks ? { reasoning: reasoning } : {}) }
}

const streamOf = (double: VendorDouble, response: ScriptedResponse): Script => {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

/** OpenAI's own responses are passed on with their bytes. */
const vendorsFor = ({ asksForResponses }: TalkingClient): readonly Vendor[] =>
  asksForResponses ? vendors.filter(({ double }) => double.type !== openaiDouble.type) : vendors

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

/** What is wrong in the order: all results of calls, and nothing else, stand between the calls and what is said next. */
function faultsInOrder(all: readonly Piece[]): readonly string[] {
  const open = new Set<string>()
  return all.flatMap((piece) => {
    if (piece.kind === 'call') {
      if (open.has(piece.id)) return ['two calls have one id']
      open.add(piece.id)
      return []
    }
    if (piece.kind === 'result') return open.delete(piece.id) ? [] : [`a result is of no call: ${piece.id}`]
    return open.size === 0 ? [] : ['something is said before the results']
  })
}

const resultOf = (showsImages: boolean) => (place: number) => {
  if (place === 2) return { text: '' }
  const text = `Rain ${place}`
  return place === 1 && showsImages ? { text, imageData } : { text }
}

/** Vendors that take OpenAI's chats as they come. */
const passing: readonly VendorDouble[] = [openaiDouble, moonshotDouble, mistralDouble]

describe.each(talkingClients.map((client) => [client.name, client] as const))('the second turn of %s', (_, client) => {
  describe.each(vendorsFor(client).map((vendor) => [vendor.double.name, vendor] as const))('at %s', (_name, vendor) => {
    const { double, wire } = vendor
    // In chats the results of tools are texts.
    const showsImages = has(double, 'images') && (client !== talkingClients[0] || !passing.includes(double))

    test.each([
      ['has each call with its result', undefined],
      ['has what the user says after all results, whose order does not matter', 'And tomorrow?'],
    ])('%s', async (_what, also) => {
      const key = await tokenAt(double)
      const response = summaryOf(double)
      app.upstream.script(
        client.isStreamed ? streamOf(double, response) : double.whole(response),
        double.whole({ text: 'It rains', usage }),
      )
      const asking = { url: app.url, key, model: double.model, question, tools: ['weather', 'now'], resultOf: resultOf(showsImages) }
      expect(await client.talk({ ...asking, ...(also === undefined ? {} : { also }) })).toBe('It rains')
      const { body } = app.upstream.received.at(-1) ?? { body: '' }
      const { pieces: all, faults } = wire(JSON.parse(body))
      expect([...faults, ...faultsInOrder(all)]).toEqual([])
      const calls = all.filter((piece) => piece.kind === 'call')
      const results = all.filter((piece) => piece.kind === 'result')
      expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([...(response.tools ?? [])])
      if (vendor.ids !== undefined) for (const { id } of calls) expect(id).toMatch(vendor.ids)
      for (const [place, { id }] of calls.entries()) {
        const texts = results.filter((result) => result.id === id).map(({ text }) => text)
        if (place === 2) expect(texts).toEqual([expect.stringMatching(/^(?:|\(no output\)|\{\})$/)])
        else expect(texts).toEqual([`Rain ${place}`])
      }
      expect(all[0]).toMatchObject({ kind: 'user', text: question })
      const before = all.slice(
        0,
        all.findIndex(({ kind }) => kind === 'call'),
      )
      expect(before.map((piece) => (piece.kind === 'model' ? piece.text : '')).join('')).toBe(response.text ?? '')
      const images = all.flatMap((piece) => ('images' in piece ? piece.images : []))
      expect(images).toEqual(showsImages && calls.length > 1 ? [imageData] : [])
      const last = all.at(-1)
      if (also !== undefined) expect(last).toMatchObject({ kind: 'user', text: expect.stringMatching(/And tomorrow\?$/) })
      for (const proof of vendor.proofs ?? []) expect(body).toContain(proof)
      expect(body).not.toMatch(/sluice:|c2x1aWNlO/)
    })
  })
})
