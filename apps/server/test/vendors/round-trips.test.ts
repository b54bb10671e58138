import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type Part } from '@google/genai'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../app.ts'
import { json, type Script } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { moonshotDouble } from './doubles/compatible.ts'
import { cloudGeminiDouble, geminiDouble } from './doubles/gemini.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type ScriptedAnswer, type VendorDouble } from './vendor-double.ts'

// What a client sends back of an earlier answer reaches the vendor as the vendor made it, also at another channel; no other vendor gets it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.unsound()).toEqual([]))

const thought = 'I must look it up'
const usage = { prompt: 100, completion: 20 }
const first: ScriptedAnswer = {
  reasoning: thought,
  tools: [{ name: 'weather', input: { city: 'Lisboa "ü"' } }],
  finish: 'tool_calls',
  usage,
}
const schema = { type: 'object', properties: { city: { type: 'string' } } }
const question = 'How is the weather?'
const result = 'Rain'

/** A client that asks, sends the whole answer back with the result of the call, and gives the text of the second answer. */
interface Client {
  readonly name: string
  readonly talk: (key: string, model: string, between: () => Promise<void>) => Promise<string>
}

async function chats(key: string, model: string, between: () => Promise<void>): Promise<string> {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = { model, max_tokens: 4_000, tools: [{ type: 'function' as const, function: { name: 'weather', parameters: schema } }] }
  const asked = [{ role: 'user' as const, content: question }]
  const { choices } = await client.chat.completions.create({ ...ask, reasoning_effort: 'low', messages: asked })
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no answer')
  await between()
  const results = (message.tool_calls ?? []).map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: result }))
  const next = await client.chat.completions.create({ ...ask, messages: [...asked, message, ...results] })
  return next.choices[0]?.message.content ?? ''
}

async function messages(key: string, model: string, between: () => Promise<void>): Promise<string> {
  const client = new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 })
  const ask = {
    ...{ model, max_tokens: 4_000, thinking: { type: 'enabled' as const, budget_tokens: 2_048 } },
    tools: [{ name: 'weather', input_schema: { ...schema, type: 'object' as const } }],
  }
  const asked = [{ role: 'user' as const, content: question }]
  const { content } = await client.messages.stream({ ...ask, messages: asked }).finalMessage()
  await between()
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: result }] : [],
  )
  const next = await client.messages.create({
    ...ask,
    messages: [...asked, { role: 'assistant', content }, { role: 'user', content: results }],
  })
  return next.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

async function generated(key: string, model: string, between: () => Promise<void>): Promise<string> {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: app.url } })
  const config = {
    maxOutputTokens: 4_000,
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
    thinkingConfig: { thinkingBudget: 2_048 },
  }
  const asked = { role: 'user', parts: [{ text: question }] }
  const parts: Part[] = []
  for await (const { candidates } of await client.models.generateContentStream({ model, contents: [asked], config }))
    parts.push(...(candidates?.[0]?.content?.parts ?? []))
  await between()
  const results = parts.flatMap(({ functionCall: call }) =>
    call === undefined
      ? []
      : [{ functionResponse: { name: 'weather', response: { result }, ...(call.id === undefined ? {} : { id: call.id }) } }],
  )
  const contents = [asked, { role: 'model', parts }, { role: 'user', parts: results }]
  return (await client.models.generateContent({ model, contents, config })).text ?? ''
}

async function responses(key: string, model: string, between: () => Promise<void>): Promise<string> {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = {
    ...{ model, max_output_tokens: 4_000, store: false, include: ['reasoning.encrypted_content' as const] },
    ...{ reasoning: { effort: 'low' as const } },
    tools: [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }],
  }
  const asked = [{ role: 'user' as const, content: question }]
  const { output } = await client.responses.stream({ ...ask, input: asked }).finalResponse()
  await between()
  const results = output.flatMap((item) =>
    item.type === 'function_call' ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: result }] : [],
  )
  // Holds: items of an output may be sent back as they are.
  const said = output as OpenAI.Responses.ResponseInputItem[]
  return (await client.responses.create({ ...ask, input: [...asked, ...said, ...results] })).output_text
}

/** Asks with the id of the response before, which the gateway stores. */
async function followed(key: string, model: string, between: () => Promise<void>): Promise<string> {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = {
    ...{ model, max_output_tokens: 4_000, reasoning: { effort: 'low' as const } },
    tools: [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }],
  }
  const { id, output } = await client.responses.create({ ...ask, input: question })
  await between()
  const input = output.flatMap((item) =>
    item.type === 'function_call' ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: result }] : [],
  )
  return (await client.responses.create({ ...ask, input, previous_response_id: id })).output_text
}

const clients: readonly Client[] = [
  { name: 'OpenAI’s chats', talk: chats },
  { name: 'Anthropic’s messages', talk: messages },
  { name: 'Google’s contents', talk: generated },
  { name: 'OpenAI’s responses', talk: responses },
  { name: 'OpenAI’s responses that follow one another', talk: followed },
]
const isStreamed = ({ talk }: Client): boolean => talk !== chats && talk !== followed

/** What the vendor made, as it must come back. */
const proofs: ReadonlyArray<readonly [VendorDouble, VendorDouble, readonly string[]]> = [
  [anthropicDouble, bedrockClaudeDouble, [`{"type":"thinking","thinking":"${thought}","signature":"EqQBCg=="}`, '"id":"toolu_0"']],
  [bedrockDouble, bedrockDouble, [`{"text":"${thought}","signature":"EqQB"}`, '"toolUseId":"tooluse_0"']],
  [moonshotDouble, moonshotDouble, [`"reasoning_content":"${thought}"`, '"id":"call_0"']],
  [geminiDouble, cloudGeminiDouble, ['"thoughtSignature":"EqQBCg=="']],
]

/** What no other vendor may get: signatures, and marks of ours, plain or in base64. */
const foreign = /EqQB|sluice|c2x1aWNl/

/** OpenAI's own answer to a request for a response. */
const wholeResponse = json({
  ...{ id: 'resp_vendor', object: 'response', status: 'completed', model: 'vendor-model', store: false },
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'It rains', annotations: [] }] }],
  usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
})

const streamOf = (double: VendorDouble, answer: ScriptedAnswer): Script => {
  const { contentType, frames } = double.stream(answer)
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
const sent = (double: VendorDouble): string => app.upstream.received.findLast((request) => double.grant?.(request) == null)?.body ?? ''

describe.each(clients.map((client) => [client.name, client] as const))('a turn of %s', (_, client) => {
  const answerOf = (double: VendorDouble): Script => (isStreamed(client) ? streamOf(double, first) : double.whole(first))

  test.each(proofs.map(([double, sibling, proof]) => [double.name, sibling.name, { double, sibling, proof }] as const))(
    'comes back to %s as it was made, by another channel (%s)',
    async (_name, _sibling, { double, sibling, proof }) => {
      const { key, add } = await scene(double)
      app.upstream.script(answerOf(double), sibling.whole({ text: 'It rains', usage }))
      expect(await client.talk(key, double.model, () => add(sibling, 9))).toBe('It rains')
      for (const text of proof) expect(sent(sibling)).toContain(text)
      expect(sent(sibling)).toContain(result)
    },
  )

  test.each(proofs.map(([double]) => [double.name, double] as const))('of %s is left out at another vendor', async (_name, double) => {
    const other = double.type === moonshotDouble.type ? anthropicDouble : openaiDouble
    const { key, add } = await scene(double)
    const asksForResponses = (client.talk === responses || client.talk === followed) && other === openaiDouble
    app.upstream.script(answerOf(double), asksForResponses ? wholeResponse : other.whole({ text: 'It rains', usage }))
    expect(await client.talk(key, double.model, () => add(other, 9))).toBe('It rains')
    expect(sent(other)).toContain('Lisboa')
    expect(sent(other)).toContain(result)
    // A client of chats sends back what it was sent, and the vendor may know the field.
    if (client.talk === chats) return
    expect(foreign.exec(sent(other))?.[0]).toBeUndefined()
    expect(sent(other)).not.toContain(thought)
  })
})
