import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai'
import { type TestApp, testApp } from '../app.ts'
import { bedrockDouble } from './doubles/bedrock.ts'
import { geminiDouble } from './doubles/gemini.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type ReadRequest, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// The AI SDK with each of its providers, at vendors of other protocols.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const deepseekDouble: VendorDouble = { ...openaiDouble, name: 'DeepSeek', type: 36, model: 'deepseek-v4-flash' }
const doubles = [openaiDouble, geminiDouble, deepseekDouble, bedrockDouble]

type Provider = (apiKey: string, model: string) => Exclude<LanguageModel, string>
const providers: Readonly<Record<string, Provider>> = {
  '@ai-sdk/openai, chats': (apiKey, model) => createOpenAI({ apiKey, baseURL: `${app.url}/v1` }).chat(model),
  '@ai-sdk/openai, responses': (apiKey, model) => createOpenAI({ apiKey, baseURL: `${app.url}/v1` }).responses(model),
  '@ai-sdk/anthropic': (apiKey, model) => createAnthropic({ apiKey, baseURL: `${app.url}/v1` })(model),
  '@ai-sdk/google': (apiKey, model) => createGoogle({ apiKey, baseURL: `${app.url}/v1beta` })(model),
}

const usage = { prompt: 100, completion: 20 }

/** A model of the provider, whose vendor responds to each request as it is chosen. */
async function modelOf(provider: Provider, double: VendorDouble, choose: (read: ReadRequest) => ScriptedResponse) {
  const { type, key, model: models, config, other } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key: token } = await app.make.token(await app.make.user({ groups, quota: 10_000_000 }))
  await app.make.channel({
    ...{ groups, type, key, models },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.fallback((request) => {
    const read = double.read(request)
    const response = { usage, ...choose(read) }
    if (!read.stream) return double.whole(response)
    const { contentType, frames } = double.stream(response)
    return pieces(contentType, frames)
  })
  return provider(token, models)
}

const city = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'], additionalProperties: false }
const tools = {
  weather: tool({
    description: 'Tells the weather',
    inputSchema: jsonSchema<{ city: string }>(city),
    execute: async ({ city: place }) => `Rain in ${place}`,
  }),
}

/** Calls the tool, and returns output with its result. */
const withTool = ({ results }: ReadRequest): ScriptedResponse =>
  results.length > 0
    ? { text: `It says: ${results.join()}` }
    : { tools: [{ name: 'weather', input: { city: 'Rio' } }], finish: 'tool_calls' }

/** Some providers ask for a tool that carries the response. */
const structured = ({ tools: [carrier] }: ReadRequest): ScriptedResponse =>
  carrier === undefined ? { text: '{"city":"Rio"}' } : { tools: [{ name: carrier, input: { city: 'Rio' } }], finish: 'tool_calls' }

const pairs = Object.entries(providers)
  .flatMap(([name, provider]) => doubles.map((double) => [name, double.name, provider, double] as const))
  // Responses are passed on to OpenAI, and its double has chats only.
  .filter(([name, vendor]) => !(name.endsWith('responses') && vendor === 'OpenAI'))

describe.each(pairs)('%s at %s', (_provider, _vendor, provider, double) => {
  test('chats', async () => {
    const model = await modelOf(provider, double, () => ({ text: 'Grüße 🙂' }))
    const { text, finishReason, totalUsage } = await generateText({ model, prompt: 'Hi', system: 'Be brief' })
    expect([text, finishReason]).toEqual(['Grüße 🙂', 'stop'])
    expect(totalUsage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
    const [request] = app.upstream.received.slice(-1)
    expect(request && double.read(request)).toMatchObject({ text: 'Hi', system: 'Be brief' })
  })

  test('streams', async () => {
    const model = await modelOf(provider, double, () => ({ text: 'Grüße 🙂' }))
    const stream = streamText({ model, prompt: 'Hi' })
    expect((await Array.fromAsync(stream.textStream)).join('')).toBe('Grüße 🙂')
    expect(await stream.finishReason).toBe('stop')
    expect(await stream.totalUsage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  })

  test('calls a tool and uses its result', async () => {
    const model = await modelOf(provider, double, withTool)
    const { text, steps } = await generateText({ model, prompt: 'Weather?', tools, stopWhen: isStepCount(3) })
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(text).toContain('Rain in Rio')
  })

  test('calls a tool in a stream and uses its result', async () => {
    const model = await modelOf(provider, double, withTool)
    const stream = streamText({ model, prompt: 'Weather?', tools, stopWhen: isStepCount(3) })
    expect((await Array.fromAsync(stream.textStream)).join('')).toContain('Rain in Rio')
    expect((await stream.steps).length).toBe(2)
  })

  test('returns structured output', async () => {
    const model = await modelOf(provider, double, structured)
    const output = Output.object({ schema: jsonSchema<{ city: string }>(city), name: 'answer' })
    expect((await generateText({ model, prompt: 'Where?', output })).output).toEqual({ city: 'Rio' })
    const stream = streamText({ model, prompt: 'Where?', output })
    expect(await stream.output).toEqual({ city: 'Rio' })
  })

  test('throws its own error', async () => {
    const model = await modelOf(provider, double, () => ({ text: 'Hi' }))
    const script = double.error('bad_request')
    if (script === null) throw new Error('the double has no such error')
    app.upstream.fallback(() => script)
    const error = await generateText({ model, prompt: 'Hi', maxRetries: 0 }).catch((caught: unknown) => caught)
    expect(APICallError.isInstance(error) && error.statusCode).toBe(400)
    expect(APICallError.isInstance(error) && error.message).not.toBe('')
  })
})
