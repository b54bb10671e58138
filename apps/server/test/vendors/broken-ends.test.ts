import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { events, json } from '../fake-upstream.ts'

// Responses of Gemini that it breaks off: no client takes them for complete ones.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const model = 'gemini-2.5-flash'
const reasons = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE'] as const
const beginnings = [{ text: 'I should read it.', thought: true }, { text: 'Let me look.' }] as const
const translated: readonly ClientStream[] = [chats, messages, responses]
const keys: Readonly<Record<number, string>> = { 24: 'AIzaSyExample', 42: 'us-central1|project-1|AIzaSyA1234567890abcdefghijklmnopqrstu' }
const vendors = [24, 42] as const

const part = (content: object, rest: object = {}) => ({ candidates: [{ content: { role: 'model', parts: [content] }, index: 0, ...rest }] })
const broken = (finishReason: string) => ({ candidates: [{ content: {}, finishReason, finishMessage: 'read_note(', index: 0 }] })
const usageMetadata = { promptTokenCount: 1_000, candidatesTokenCount: 200, totalTokenCount: 1_200 }

/** Of a prompt and an output of these counts. */
const price = 1_000 * 0.15 + 200 * 1.25

async function keyAt(...channels: readonly number[]) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  for (const type of channels) await app.make.channel({ groups, type, models: model, key: keys[type] ?? '', baseUrl: app.upstream.url })
  const user = await app.make.user({ groups, quota: 100_000_000 })
  return { user, key: (await app.make.token(user, { isUnlimited: true })).key }
}

async function charged({ username }: TestUser): Promise<number> {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username }))[0]?.quota ?? 0
}

async function ask(client: ClientStream, key: string, isStream = true) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const body = JSON.stringify({ ...client.bodyOf({ model, content: 'Hi' }), ...(client === generated ? {} : { stream: isStream }) })
  const response = await app.request(client.pathOf(model), { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

describe.each(translated.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  describe.each(vendors)('at type %i', (type) => {
    test.each(reasons)('a stream that breaks off with %s ends with an error, and is charged', async (reason) => {
      for (const beginning of beginnings) {
        const { user, key } = await keyAt(type)
        app.upstream.script(events([part(beginning), { ...broken(reason), usageMetadata }]))
        const { status, text } = await ask(client, key)
        const read = client.read(text)
        expect({ status, isEnded: read.isEnded, errors: read.errors.length }).toEqual({ status: 200, isEnded: false, errors: 1 })
        expect(text).toContain(beginning.text)
        expect(text).not.toContain('read_note')
        expect(await charged(user)).toBeGreaterThanOrEqual(Math.floor(price))
      }
    })

    test('a whole response that breaks off is an error, and is charged', async () => {
      const { user, key } = await keyAt(type)
      app.upstream.script(json({ ...part({ text: 'Let me look.' }, { finishReason: reasons[0] }), usageMetadata }))
      expect((await ask(client, key, false)).status).toBe(502)
      expect(await charged(user)).toBeGreaterThanOrEqual(Math.floor(price))
    })

    test('an end that each part of a stream reports is reported once, and loses nothing', async () => {
      const { user, key } = await keyAt(type)
      app.upstream.script(events(['one ', 'two ', 'three'].map((text) => ({ ...part({ text }, { finishReason: 'STOP' }), usageMetadata }))))
      const { text } = await ask(client, key)
      expect(client.read(text)).toEqual({ text: 'one two three', errors: [], isEnded: true })
      expect(text.split(/"finish_reason":"|"stop_reason":"|"status":"completed","[^}]*"usage"/).length - 1).toBeLessThanOrEqual(1)
      expect(await charged(user)).toBeGreaterThanOrEqual(Math.floor(price))
    })
  })

  test('a response that breaks off before its first word, uncounted, comes from another channel', async () => {
    const { key } = await keyAt(24, 24)
    const good = events([part({ text: 'Here it is.' }, { finishReason: 'STOP' })])
    app.upstream.script(events([broken(reasons[0])]), good)
    expect(client.read((await ask(client, key)).text)).toEqual({ text: 'Here it is.', errors: [], isEnded: true })
  })
})

test('a client of Gemini reads the reason itself', async () => {
  const { key } = await keyAt(24)
  app.upstream.script(events([part({ text: 'Let me look.' }), { ...broken(reasons[0]), usageMetadata }]))
  expect((await ask(generated, key)).text).toContain('"finishReason":"MALFORMED_FUNCTION_CALL"')
})
