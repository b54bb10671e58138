import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { faultsIn, wireEvents } from '../../../../packages/vendors/test/message-grammar.ts'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import type { Received, Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { type Feature, pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// Anthropic's own client asks every vendor for messages; a double responds in the vendor's form.

let app: TestApp

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const usage = { prompt: 100, completion: 20 }
const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }]
const called = { name: 'weather', input: { city: 'Lisboa "ü" \\ 北京' } }
/** An image of one dot. */
const imageData = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function scene(double: VendorDouble, ...scripts: Script[]) {
  const { type, model: models, config, other } = double
  const key = double.key.replaceAll('{upstream}', app.upstream.url)
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key: token } = await app.make.token(user)
  const id = await app.make.channel({
    groups: group,
    type,
    key,
    models,
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  // Images are at the machine's own address.
  await app.data(contract.channel.update, { id, allowed_members: 'local_addresses' })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(...scripts)
  const client = new Anthropic({ apiKey: token, baseURL: app.url, maxRetries: 0 })
  const ask = { model: models, max_tokens: 200, messages: [{ role: 'user' as const, content: 'Hi' }] }
  return { user, token, client, ask }
}

const streamed = (double: VendorDouble, response: ScriptedResponse): Script => {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

function lastRequest(): Received {
  const request = app.upstream.received.at(-1)
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

async function rawStream(token: string, body: object): Promise<string> {
  const response = await app.request('/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  return await response.text()
}

const blockOf = <Type extends Anthropic.ContentBlock['type']>({ content }: Anthropic.Message, type: Type) =>
  content.filter((block): block is Extract<Anthropic.ContentBlock, { type: Type }> => block.type === type)

describe.each(doubles.map((double) => [double.name, double] as const))('%s', (_, double) => {
  beforeAll(async () => {
    app = await testApp({ isLocal: () => false })
  })
  afterAll(() => app.close())

  const has = (...features: Feature[]): boolean => !features.some((feature) => double.lacks?.includes(feature))
  const onlyWith = (...features: Feature[]) => (has(...features) ? test : test.skip)

  test('returns a whole message that has the client’s model', async () => {
    const { client, ask } = await scene(double, double.whole({ text: 'Grüße, 世界 🙂', usage }))
    const message = await client.messages.create(ask)
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model: double.model, stop_reason: 'end_turn' })
    expect(message.id).not.toBe('')
    expect(message.content).toMatchObject([{ type: 'text', text: 'Grüße, 世界 🙂' }])
    expect(double.isAuthorized(lastRequest())).toBe(true)
    expect(double.read(lastRequest())).toMatchObject({ text: 'Hi' })
  })

  onlyWith('usage')('charges the same as for a chat', async () => {
    const response = { text: 'Hello', usage: has('cached') ? { ...usage, cached: 64 } : usage }
    const { client, ask, user, token } = await scene(double, double.whole(response), double.whole(response))
    const message = await client.messages.create(ask)
    const ours = await lastLog(user)
    expect(ours).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false, end_reason: 'complete' })
    const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = message.usage
    expect([input + (cached ?? 0), output]).toEqual([100, 20])
    if (has('cached')) expect(cached).toBe(64)
    await new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 }).chat.completions.create({
      model: ask.model,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect((await lastLog(user))?.quota).toBe(ours?.quota ?? -1)
  })

  onlyWith('stream')('streams events in the documented order, and the client puts them together', async () => {
    const response = { text: 'Grüße, 世界 🙂', usage }
    const script = has('events') ? streamed(double, response) : double.whole(response)
    const { client, ask, token, user } = await scene(double, script, script)
    const events = wireEvents(await rawStream(token, ask))
    expect(faultsIn(events)).toEqual([])
    const message = await client.messages.stream(ask).finalMessage()
    expect(message.content).toMatchObject([{ type: 'text', text: 'Grüße, 世界 🙂' }])
    expect(message).toMatchObject({ model: double.model, stop_reason: 'end_turn' })
    expect(await lastLog(user)).toMatchObject({ end_reason: 'complete' })
    if (has('usage')) expect(await lastLog(user)).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false })
  })

  onlyWith('tools', 'stream')('calls tools, and takes their results in the next turn', async () => {
    const response = {
      tools: has('several calls') ? [called, { name: 'weather', input: { city: 'Rio' } }] : [called],
      finish: 'tool_calls' as const,
      usage,
    }
    const { client, ask, token } = await scene(
      double,
      streamed(double, response),
      streamed(double, response),
      double.whole({ text: 'Sun' }),
    )
    expect(faultsIn(wireEvents(await rawStream(token, { ...ask, tools })))).toEqual([])
    const message = await client.messages.stream({ ...ask, tools }).finalMessage()
    const uses = blockOf(message, 'tool_use')
    expect(message.stop_reason).toBe('tool_use')
    expect(uses.map(({ name, input }) => ({ name, input }))).toEqual(response.tools)
    expect(new Set(uses.map(({ id }) => id)).size).toBe(uses.length)
    expect(double.read(lastRequest()).tools).toEqual(['weather'])
    const results = uses.map(({ id }, index) => ({ type: 'tool_result' as const, tool_use_id: id, content: `Rain ${index}` }))
    const next = await client.messages.create({
      ...ask,
      tools,
      messages: [...ask.messages, { role: 'assistant', content: message.content }, { role: 'user', content: results }],
    })
    expect(next.content).toMatchObject([{ type: 'text', text: 'Sun' }])
    const read = double.read(lastRequest()).results
    expect(read.length).toBe(results.length)
    for (const [index, text] of read.entries()) expect(text).toContain(`Rain ${index}`)
  })

  onlyWith('reasoning', 'stream')('thinks in blocks that may be sent back', async () => {
    const response = { reasoning: 'Let me think.', text: 'Done', usage }
    const { client, ask, token } = await scene(
      double,
      streamed(double, response),
      streamed(double, response),
      double.whole({ text: 'Sun' }),
    )
    const thinking = { type: 'enabled', budget_tokens: 2_048 } as const
    expect(faultsIn(wireEvents(await rawStream(token, { ...ask, max_tokens: 4_000, thinking })))).toEqual([])
    const message = await client.messages.stream({ ...ask, max_tokens: 4_000, thinking }).finalMessage()
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    const [reasoning] = blockOf(message, 'thinking')
    expect(reasoning?.thinking).toBe('Let me think.')
    await client.messages.create({
      ...ask,
      messages: [...ask.messages, { role: 'assistant', content: message.content }, { role: 'user', content: 'And now?' }],
    })
    expect(double.read(lastRequest()).text).toBe('And now?')
    // No vendor gets a signature that it did not make.
    expect(lastRequest().body).not.toContain('sluice:')
  })

  onlyWith('images')('sees images', async () => {
    const { client, ask } = await scene(double, double.whole({ text: 'A dot', usage }))
    const source = { type: 'base64', media_type: 'image/png', data: imageData } as const
    await client.messages.create({
      ...ask,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source },
            { type: 'text', text: 'What?' },
          ],
        },
      ],
    })
    expect(double.read(lastRequest())).toMatchObject({ text: 'What?', images: [imageData] })
  })

  onlyWith('images')('gets an image behind an address as the vendor takes it, in results of tools, too', async () => {
    const { client, ask } = await scene(double, double.whole({ text: 'Two dots', usage }))
    const file: Script = [
      { do: 'head', status: 200, headers: { 'content-type': 'image/png' } },
      { do: 'send', bytes: Buffer.from(imageData, 'base64') },
    ]
    app.upstream.always((request) => (request.path === '/dot.png' ? file : (double.grant?.(request) ?? null)))
    const address = `${app.upstream.url}/dot.png`
    const image = { type: 'image', source: { type: 'url', url: address } } as const
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} } as const
    await client.messages.create({
      ...ask,
      tools,
      messages: [
        { role: 'user', content: [image, { type: 'text', text: 'What?' }] },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }] },
      ],
    })
    const request = lastRequest()
    const isPassedOn = request.body.includes(address)
    if (!isPassedOn) expect(request.body.split(imageData).length - 1).toBe(2)
    if (double.name.includes('Bedrock') || double.name === 'Claude at Google Cloud') expect(isPassedOn).toBe(false)
  })

  test('fails with the error class of the client', async () => {
    const script = double.error('rate_limited') ?? double.error('bad_request')
    if (script === null) return
    const { client, ask } = await scene(double, script)
    const error = await client.messages.create(ask).catch((caught: unknown) => caught)
    if (!(error instanceof Anthropic.APIError)) throw new Error('no error of the client came')
    expect(error.requestID).not.toBeNull()
    expect(error.error).toMatchObject({ type: 'error', error: { type: expect.stringMatching(/_error$/) } })
  })
})
