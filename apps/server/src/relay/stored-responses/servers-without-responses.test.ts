import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

// Responses of vendors some of whose servers have chats only, or have responses for some models only.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
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
const kept = async () => (await app.app.store.db.selectFrom('kept_answers').select('id').execute()).map(({ id }) => id)

describe('a response of a server that may lack responses', () => {
  const absent = json({ detail: 'Not Found' }, 404)
  const native = json({ id: 'resp_1', object: 'response', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } })
  const followed = 'gpt-4o-mini'
  const channel = (more: object) => app.make.channel({ models: followed, baseUrl: app.upstream.url, ...more })
  const remove = (id: number) => app.data(contract.channel.remove, { id })

  test('can be followed and read if a chat served it: before the lack is known, and after', async () => {
    const id = await channel({ type: 8 })
    const openai = await client()
    app.upstream.script(absent, json(chatResponse('Rain.', usage)), json(chatResponse('Sun.', usage)), json(chatResponse('Snow.', usage)))
    const first = await openai.responses.create({ model: followed, input: 'Weather in Bonn?' })
    expect(first.output_text).toBe('Rain.')
    const second = await openai.responses.create({ model: followed, input: 'And Rio?', previous_response_id: first.id })
    await openai.responses.create({ model: followed, input: 'And Oslo?', previous_response_id: second.id })
    const contents = ['Weather in Bonn?', 'Rain.', 'And Rio?', 'Sun.', 'And Oslo?']
    expect(upstreamBody().messages).toMatchObject(contents.map((content) => ({ content })))
    expect(await openai.responses.retrieve(first.id)).toMatchObject({ id: first.id, output: first.output })
    await remove(id)
  })

  test('can be followed if only its model is served by chats', async () => {
    const id = await channel({ type: 40, mapping: { [followed]: 'bot-20261128-abcde' } })
    const openai = await client()
    responses('Rain.', 'Sun.')
    const first = await openai.responses.create({ model: followed, input: 'Weather in Bonn?' })
    await openai.responses.create({ model: followed, input: 'And Rio?', previous_response_id: first.id })
    expect(upstreamBody().messages).toMatchObject(['Weather in Bonn?', 'Rain.', 'And Rio?'].map((content) => ({ content })))
    await remove(id)
  })

  test('leaves no input here if the server stores it', async () => {
    const id = await channel({ type: 8 })
    const openai = await client()
    const before = new Set(await kept())
    app.upstream.script(native, native)
    for (const input of ['Weather in Bonn?', 'And Rio?']) await openai.responses.create({ model: followed, input })
    expect(upstreamBody()).not.toHaveProperty('store')
    expect((await kept()).filter((id) => !before.has(id))).toEqual(['resp_1'])
    await remove(id)
  })
})
