import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { json, type Script } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { moonshotDouble } from './doubles/compatible.ts'
import { cloudGeminiDouble, geminiDouble } from './doubles/gemini.ts'
import { openaiDouble } from './doubles/openai.ts'
import { talkingClients } from './two-turns.ts'
import { pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// What a client sends back of an earlier response reaches the vendor as the vendor made it, also at another channel; no other vendor gets it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const reasoning = 'I must look it up'
const usage = { prompt: 100, completion: 20 }
const first: ScriptedResponse = {
  reasoning: reasoning,
  tools: [{ name: 'weather', input: { city: 'Lisboa "ü"' } }],
  finish: 'tool_calls',
  usage,
}
const result = 'Rain'
const talkTexts = {
  question: 'How is the weather?',
  tools: ['weather'],
  resultOf: () => ({ text: result }),
}
/** What the vendor made, as it must come back. */
const proofs: ReadonlyArray<readonly [VendorDouble, VendorDouble, readonly string[]]> = [
  [anthropicDouble, bedrockClaudeDouble, [`{"type":"thinking","thinking":"${reasoning}","signature":"EqQBCg=="}`, '"id":"toolu_0"']],
  [bedrockDouble, bedrockDouble, [`{"text":"${reasoning}","signature":"EqQB"}`, '"toolUseId":"tooluse_0"']],
  [moonshotDouble, moonshotDouble, [`"reasoning_content":"${reasoning}"`, '"id":"call_0"']],
  [geminiDouble, cloudGeminiDouble, ['"thoughtSignature":"EqQBCg=="']],
]

/** What no other vendor may get: signatures, and marks of ours, plain or in base64. */
const foreign = /EqQB|sluice|c2x1aWNl/

/** OpenAI's own response to a request for a response. */
const wholeResponse = json({
  ...{ id: 'resp_vendor', object: 'response', status: 'completed', model: 'vendor-model', store: false },
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'It rains', annotations: [] }] }],
  usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
})

const streamOf = (double: VendorDouble, response: ScriptedResponse): Script => {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

async function scene(double: VendorDouble) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key } = await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))
  const add = async (added: VendorDouble, priority: number): Promise<void> => {
    const { type, config, other } = added
    await app.make.channel({
      ...{ groups, type, priority, models: double.model, key: added.key.replaceAll('{upstream}', app.upstream.url) },
      ...(added.model === double.model ? {} : { mapping: { [double.model]: added.model } }),
      ...(config === undefined ? {} : { config }),
      ...(other === undefined ? {} : { other }),
    })
    app.upstream.always((request) => added.grant?.(request) ?? null)
  }
  await add(double, 0)
  return { key, add }
}

/** The last request to the vendor, without those for its credential. */
const upstreamBodyOf = (double: VendorDouble): string =>
  app.upstream.received.findLast((request) => double.grant?.(request) == null)?.body ?? ''

describe.each(talkingClients.map((client) => [client.name, client] as const))('a turn of %s', (_, client) => {
  const summaryOf = (double: VendorDouble): Script => (client.isStreamed ? streamOf(double, first) : double.whole(first))

  test.each(proofs.map(([double, sibling, proof]) => [double.name, sibling.name, { double, sibling, proof }] as const))(
    'comes back to %s as it was made, by another channel (%s)',
    async (_name, _sibling, { double, sibling, proof }) => {
      const { key, add } = await scene(double)
      app.upstream.script(summaryOf(double), sibling.whole({ text: 'It rains', usage }))
      expect(await client.talk({ ...talkTexts, url: app.url, key, model: double.model, between: () => add(sibling, 9) })).toBe('It rains')
      for (const text of proof) expect(upstreamBodyOf(sibling)).toContain(text)
      expect(upstreamBodyOf(sibling)).toContain(result)
    },
  )

  test.each(proofs.map(([double]) => [double.name, double] as const))('of %s is left out at another vendor', async (_name, double) => {
    const other = double.type === moonshotDouble.type ? anthropicDouble : openaiDouble
    const { key, add } = await scene(double)
    const asksForResponses = client.asksForResponses && other === openaiDouble
    app.upstream.script(summaryOf(double), asksForResponses ? wholeResponse : other.whole({ text: 'It rains', usage }))
    expect(await client.talk({ ...talkTexts, url: app.url, key, model: double.model, between: () => add(other, 9) })).toBe('It rains')
    expect(upstreamBodyOf(other)).toContain('Lisboa')
    expect(upstreamBodyOf(other)).toContain(result)
    // A client of chats sends back what it was sent, and the vendor may know the field.
    if (client.name === 'OpenAI’s chats') return
    expect(foreign.exec(upstreamBodyOf(other))?.[0]).toBeUndefined()
    expect(upstreamBodyOf(other)).not.toContain(reasoning)
  })
})
