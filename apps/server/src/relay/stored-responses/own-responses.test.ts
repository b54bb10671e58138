import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setClock } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, usageChunk } from '../../../test/fake-upstream.ts'

// Responses of vendors that have chats only: the gateway stores them, as OpenAI does.

const clock = setClock()
const model = 'openai/gpt-oss-120b'
let app: TestApp
beforeAll(async () => {
  app = await testApp({ clock })
  await app.make.channel({ type: 29, models: model })
})
afterAll(() => app.close())

async function client(): Promise<OpenAI> {
  const { key } = await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })
  return new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
}

// Holds: requests sent upstream are objects.
const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as { readonly messages: readonly unknown[] }
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const responses = (...texts: readonly string[]) => app.upstream.script(...texts.map((text) => json(chatResponse(text, usage))))
const rows = async () => await app.app.store.db.selectFrom('kept_answers').select(['id', 'item_sealed']).execute()
const idsOf = async (part: string) => (await rows()).map(({ id }) => id).filter((id) => id.includes(part))

/** The HTTP status of a call that fails; 200 = it does not. */
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof OpenAI.APIError ? error.status : 0),
  )

describe('a response that no vendor stores', () => {
  test('can be followed, also the one after it, with what was said before', async () => {
    const openai = await client()
    responses('Rain.', 'Sun.', 'Snow.')
    const first = await openai.responses.create({ model, input: 'Weather in Bonn?' })
    expect(first).toMatchObject({ store: true, previous_response_id: null })
    const second = await openai.responses.create({ model, input: 'And Rio?', previous_response_id: first.id, instructions: 'Be brief' })
    expect(upstreamBody().messages).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Weather in Bonn?' },
      { role: 'assistant', content: 'Rain.' },
      { role: 'user', content: 'And Rio?' },
    ])
    await openai.responses.create({ model, input: [{ role: 'user', content: 'And Oslo?' }], previous_response_id: second.id })
    expect(upstreamBody().messages).toEqual([
      { role: 'user', content: 'Weather in Bonn?' },
      { role: 'assistant', content: 'Rain.' },
      { role: 'user', content: 'And Rio?' },
      { role: 'assistant', content: 'Sun.' },
      { role: 'user', content: 'And Oslo?' },
    ])
  })

  test('is no item of another one, and its input is none either', async () => {
    const openai = await client()
    responses('Rain.')
    const { id } = await openai.responses.create({ model, input: 'Weather in Bonn?' })
    for (const name of [id, `${id}:input`]) {
      const input = [{ type: 'item_reference', id: name } as const, { role: 'user', content: 'And?' } as const]
      expect(await statusOf(openai.responses.create({ model, input }))).toBe(404)
    }
  })

  test('can be followed after a stream, with the result of a call', async () => {
    const openai = await client()
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } }
    app.upstream.script(
      events([chatChunk({ role: 'assistant', tool_calls: [call] }), chatChunk({}, 'tool_calls'), usageChunk(10, 5), '[DONE]']),
      json(chatResponse('Take an umbrella.', usage)),
    )
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false } as const]
    const first = await openai.responses.stream({ model, input: 'Umbrella?', tools }).finalResponse()
    const output = [{ type: 'function_call_output' as const, call_id: 'call_1', output: 'Rain' }]
    await openai.responses.create({ model, input: output, tools, previous_response_id: first.id })
    expect(upstreamBody().messages).toMatchObject([
      { role: 'user', content: 'Umbrella?' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
    ])
  })

  test('can be read with its input, and deleted; nobody else can', async () => {
    const [openai, other] = [await client(), await client()]
    responses('Rain.')
    const created = await openai.responses.create({ model, input: 'Weather?', metadata: { a: 'b' } })
    expect(await openai.responses.retrieve(created.id)).toMatchObject({
      id: created.id,
      status: 'completed',
      output_text: 'Rain.',
      metadata: { a: 'b' },
    })
    const listed = await openai.responses.inputItems.list(created.id)
    expect(listed.data).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }])
    expect(await statusOf(other.responses.retrieve(created.id))).toBe(404)
    expect(await statusOf(other.responses.create({ model, input: 'x', previous_response_id: created.id }))).toBe(404)
    await openai.responses.delete(created.id)
    expect(await statusOf(openai.responses.retrieve(created.id))).toBe(404)
    expect(await idsOf(created.id)).toEqual([])
    expect(await statusOf(openai.responses.create({ model, input: 'x', previous_response_id: created.id }))).toBe(404)
  })

  test('is not stored if an option says so', async () => {
    const openai = await client()
    await app.data(contract.option.update, { key: 'ResponseRetentionDays', value: '0' })
    responses('Rain.')
    const created = await openai.responses.create({ model, input: 'Weather?' })
    expect(created).toMatchObject({ store: false })
    expect(await idsOf(created.id)).toEqual([])
    expect(await statusOf(openai.responses.retrieve(created.id))).toBe(404)
    await app.data(contract.option.update, { key: 'ResponseRetentionDays', value: '30' })
  })

  test('is stored as no clear text, and for 30 days', async () => {
    const openai = await client()
    responses('A very secret answer')
    const created = await openai.responses.create({ model, input: 'A very secret question' })
    expect((await idsOf(created.id)).sort()).toEqual([created.id, `${created.id}:input`])
    expect(JSON.stringify(await rows())).not.toContain('secret')
    clock.advance(31 * 24 * 3_600_000)
    expect(await statusOf(openai.responses.retrieve(created.id))).toBe(404)
  })

  test('is not stored if its input is longer than can be, and says so, whole and streamed', async () => {
    const openai = await client()
    const before = (await rows()).length
    const image = `data:image/png;base64,${'A'.repeat(4_200_000)}`
    const input = [{ role: 'user' as const, content: [{ type: 'input_image' as const, detail: 'auto' as const, image_url: image }] }]
    responses('A cat.')
    const created = await openai.responses.create({ model, input })
    expect(created).toMatchObject({ store: false, output_text: 'A cat.' })
    expect(await statusOf(openai.responses.retrieve(created.id))).toBe(404)
    app.upstream.script(events([chatChunk({ content: 'A cat.' }), chatChunk({}, 'stop'), usageChunk(10, 5), '[DONE]']))
    const streamEvents = await Array.fromAsync(await openai.responses.create({ model, input, stream: true }))
    expect(streamEvents.flatMap((event) => (event.type === 'response.created' ? [event.response] : []))).toMatchObject([{ store: false }])
    expect((await rows()).length).toBe(before)
    responses('A dog.')
    const short = await openai.responses.create({ model, input: 'A dog?' })
    expect(short).toMatchObject({ store: true })
    expect((await idsOf(short.id)).length).toBe(2)
  })

  test('leaves nothing if the client says so, or if there was no response', async () => {
    const openai = await client()
    const before = (await rows()).length
    responses('Rain.')
    const created = await openai.responses.create({ model, input: 'Weather?', store: false })
    expect(created).toMatchObject({ store: false })
    expect(await statusOf(openai.responses.retrieve(created.id))).toBe(404)
    app.upstream.script(json({ error: { message: 'no', type: 'invalid_request_error' } }, 400))
    expect(await statusOf(openai.responses.create({ model, input: 'Weather?' }))).toBe(400)
    app.upstream.script(events([chatChunk({ content: 'Ra' })]))
    const cut = await openai.responses.create({ model, input: 'Weather?', stream: true })
    await Array.fromAsync(cut).catch(() => [])
    await app.app.ledger.drain()
    expect((await rows()).length).toBe(before)
  })
})
