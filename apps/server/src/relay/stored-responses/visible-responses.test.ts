import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { setClock } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

// What a token may see of the stored responses of its account: of its models, or only what it created itself.

/** Of a vendor with chats only, whose responses the gateway stores, and of one that stores them itself. */
const [chats, otherChats, native] = ['openai/gpt-oss-120b', 'openai/gpt-oss-20b', 'gpt-4o'] as const

let app: TestApp
let user: TestUser
beforeAll(async () => {
  app = await testApp({ clock: setClock() })
  user = await app.make.user({ quota: 10_000_000 })
  await app.make.channel({ type: 29, models: `${chats},${otherChats}` })
  await app.make.channel({ models: native })
  app.upstream.fallback(({ path, body }) => {
    if (path.includes('/chat/')) return json(chatResponse('Rain.', usage))
    if (path.includes('/input_items')) return json({ object: 'list', data: [] })
    // Holds: requests sent upstream are objects.
    const { input } = JSON.parse(body === '' ? '{}' : body) as { readonly input?: string }
    const output = [{ id: `msg_${input}`, type: 'message', role: 'assistant', status: 'completed', content: [] }]
    return json({ id: `resp_${input}`, object: 'response', status: 'completed', model: native, output, usage: tokens })
  })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const tokens = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

const token = async (options: { readonly models?: string; readonly ownWorkOnly?: boolean } = {}): Promise<string> =>
  (await app.make.token(user, { isUnlimited: true, ...options })).key

const call = (key: string, path: string, { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {}) =>
  app.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const create = (key: string, body: object): Promise<Response> => call(key, '/v1/responses', { method: 'POST', body })

/** @returns its id, and that of its first part */
async function created(key: string, model: string) {
  const response = await create(key, { model, input: crypto.randomUUID().replaceAll('-', '') })
  // Holds: the call returns a stored response.
  const { id, output } = (await response.json()) as { readonly id: string; readonly output: ReadonlyArray<{ readonly id: string }> }
  return { id, part: output[0]?.id ?? '' }
}

/** What a token gets that tries everything with a response. */
async function responsesTo(key: string, { id, part }: { readonly id: string; readonly part: string }, model: string) {
  const calls = [
    () => call(key, `/v1/responses/${id}`),
    () => call(key, `/v1/responses/${id}/input_items`),
    () => call(key, `/v1/responses/${id}/cancel`, { method: 'POST' }),
    () => create(key, { model, input: 'And?', previous_response_id: id }),
    () =>
      create(key, {
        model,
        input: [
          { type: 'item_reference', id: part },
          { role: 'user', content: 'And?' },
        ],
      }),
    () => call(key, `/v1/responses/${id}`, { method: 'DELETE' }),
  ]
  const outcomes: string[] = []
  for (const ask of calls) {
    const response = await ask()
    const text = (await response.text()).replaceAll(id, 'ID').replaceAll(part, 'PART')
    outcomes.push(`${response.status} ${text.replace(/"request_id":"[^"]+"/, '')}`)
  }
  return outcomes
}

const statuses = (responses: readonly string[]) => responses.map((response) => Number(response.slice(0, 3)))

describe.each([
  ['stored here', chats, { id: 'resp_01a227d6', part: 'msg_01a227d6' }],
  ['stored at its vendor', native, { id: 'resp_01a227d6', part: 'msg_01a227d6' }],
] as const)('a response that is %s', (_, model, missing) => {
  test('is like a missing one for a token that is limited to its own work', async () => {
    const limited = await token({ ownWorkOnly: true })
    const foreign = await created(await token(), model)
    expect(await responsesTo(limited, foreign, model)).toEqual(await responsesTo(limited, missing, model))
    const own = await created(limited, model)
    expect(statuses(await responsesTo(limited, own, model))).toEqual([200, 200, model === native ? 200 : 400, 200, 200, 200])
    expect(statuses(await responsesTo(await token(), foreign, model)).slice(0, 2)).toEqual([200, 200])
  })

  test('is like a missing one for a token with a list of other models, which sees its own', async () => {
    const limited = await token({ models: otherChats })
    const foreign = await created(await token(), model)
    expect(await responsesTo(limited, foreign, otherChats)).toEqual(await responsesTo(limited, missing, otherChats))
    expect((await call(await token({ models: model }), `/v1/responses/${foreign.id}`)).status).toBe(200)
  })

  test('of an earlier version, which names no model, is seen by every token with a list', async () => {
    const foreign = await created(await token(), model)
    await app.app.store.db.updateTable('kept_answers').set({ model: '' }).where('user_id', '=', user.id).execute()
    expect((await call(await token({ models: otherChats }), `/v1/responses/${foreign.id}`)).status).toBe(200)
    expect((await call(await token({ ownWorkOnly: true }), `/v1/responses/${foreign.id}`)).status).toBe(404)
  })
})

test('a token with a list of other models still sees what it created itself', async () => {
  const ownToken = await app.make.token(user, { isUnlimited: true })
  const own = await created(ownToken.key, chats)
  await app.data(contract.token.update, { id: ownToken.id, models: otherChats }, user)
  expect((await call(ownToken.key, `/v1/responses/${own.id}`)).status).toBe(200)
})
