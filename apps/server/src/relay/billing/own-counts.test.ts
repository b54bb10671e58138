import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatChunk, chatResponse, events, json } from '../../../test/fake-upstream.ts'

// Servers that report usage for whole responses but not for streams: a stream must cost the same as the whole response.

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  user = await app.make.user({ quota: 1_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

interface Message {
  readonly role: string
  readonly content: string
}

/** A server with its own tokenizer and a template of seven tokens per message and thirty per prompt. */
const tokensOf = (text: string): number => Math.ceil(text.length / 3)
const promptOf = (messages: readonly Message[]): number => messages.reduce((sum, { content }) => sum + tokensOf(content) + 7, 30)

const responseText = 'The lock fills slowly, the gates open, and the boat goes on to the next one. '.repeat(4)
const chat = (...texts: readonly string[]): readonly Message[] =>
  texts.map((content, index) => ({ role: index === 0 ? 'system' : 'user', content }))

let models = 0
/** A server without previous responses. @returns a function that asks it and returns the log row */
async function server(type = 8) {
  models += 1
  const model = `own-${models}`
  await app.make.channel({ type, models: model, baseUrl: app.upstream.url })

  async function ask(path: string, body: object, payer = { user, key }) {
    const headers = { authorization: `Bearer ${payer.key}` }
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify({ model, ...body }) })
    expect(response.status).toBe(200)
    await response.text()
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { type: 2, username: payer.user.username })
    if (row === undefined) throw new Error('there is no row')
    return row
  }

  return {
    async whole(messages: readonly Message[], text = responseText) {
      app.upstream.script(json(chatResponse(text, { prompt_tokens: promptOf(messages), completion_tokens: tokensOf(text) })))
      const row = await ask('/v1/chat/completions', { messages })
      expect(row.estimated).toBe(false)
      return row
    },
    async stream(messages: readonly Message[], text = responseText) {
      app.upstream.script(events([chatChunk({ content: text }), chatChunk({}, 'stop'), '[DONE]']))
      const row = await ask('/v1/chat/completions', { messages, stream: true })
      expect(row.estimated).toBe(true)
      return row
    },
    ask,
  }
}

function near(seen: number, expected: number): void {
  expect({ seen, expected, isNear: Math.abs(seen - expected) <= expected * 0.02 }).toMatchObject({ isNear: true })
}

describe('a stream that its server does not count', () => {
  test('costs as much as the same response without a stream, from the first one on', async () => {
    const { whole, stream } = await server()
    for (const messages of [chat('Be brief.', 'What is a sluice?'), chat('You write long letters. '.repeat(40)), chat('Hi')]) {
      const [reported, counted] = [await whole(messages), await stream(messages)]
      near(counted.prompt_tokens, reported.prompt_tokens)
      near(counted.completion_tokens, reported.completion_tokens)
      near(counted.quota, reported.quota)
    }
  })

  test('is counted with what was learned from other prompts', async () => {
    const { whole, stream } = await server()
    const texts = [chat('a'), chat('Be brief.', 'One question. '.repeat(30)), chat('b', 'c', 'd', 'e', 'f'), chat('Word '.repeat(400))]
    for (const messages of texts) await whole(messages)
    for (const messages of [chat('Answer.', 'And another question. '.repeat(60)), chat('g', 'h', 'i')])
      near((await stream(messages)).prompt_tokens, promptOf(messages))
  })

  test('is counted by OpenAI’s rule for chats, template included, if nothing was learned', async () => {
    const { stream } = await server()
    // Two messages of one token each, four tokens per message, and three that begin the response.
    expect((await stream(chat('abcd', 'efgh'), 'Hello there')).prompt_tokens).toBe(13)
  })

  test('is counted by the model’s tokenizer if the channel is a vendor’s, whatever usage other responses have', async () => {
    const { whole, stream } = await server(1)
    await whole(chat('abcd', 'efgh'))
    expect(await stream(chat('abcd', 'efgh'), 'Hello there')).toMatchObject({ prompt_tokens: 13, completion_tokens: 2 })
  })

  test('costs at most four times our own count, whatever usage its server sent before', async () => {
    const { ask, stream } = await server()
    const messages = chat('abcd', 'efgh')
    app.upstream.script(json(chatResponse('Hello there', { prompt_tokens: 900_000, completion_tokens: 900_000 })))
    await ask('/v1/chat/completions', { messages })
    expect(await stream(messages, 'Hello there')).toMatchObject({ prompt_tokens: 13, completion_tokens: 2 })
  })
})

test('what one account sends does not change what others pay', async () => {
  const { ask, stream } = await server()
  const other = await app.make.user({ quota: 1_000_000_000 })
  const payer = { user: other, key: (await app.make.token(other, { isUnlimited: true })).key }
  const messages = chat('abcd', 'efgh')
  for (let time = 0; time < 15; time += 1) {
    app.upstream.script(json(chatResponse('Hello there', { prompt_tokens: 1_000, completion_tokens: 8 })))
    await ask('/v1/chat/completions', { messages }, payer)
  }
  expect(await stream(messages, 'Hello there')).toMatchObject({ prompt_tokens: 13, completion_tokens: 2 })
})

test('a completion is learned apart from chats, because no template surrounds it', async () => {
  const { whole, ask } = await server()
  const prompt = 'Once upon a time there was a lock. '.repeat(10)
  await whole(chat('a', 'b'))
  const choice = { index: 0, text: responseText, finish_reason: 'stop', logprobs: null }
  const response = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'own', choices: [choice] }
  app.upstream.script(json({ ...response, usage: { prompt_tokens: tokensOf(prompt), completion_tokens: tokensOf(responseText) } }))
  const reported = await ask('/v1/completions', { prompt, max_tokens: 500 })
  expect(reported).toMatchObject({ prompt_tokens: tokensOf(prompt), estimated: false })
  app.upstream.script(events([response, '[DONE]']))
  const counted = await ask('/v1/completions', { prompt, max_tokens: 500, stream: true })
  expect(counted.estimated).toBe(true)
  near(counted.prompt_tokens, reported.prompt_tokens)
  near(counted.completion_tokens, reported.completion_tokens)
})
