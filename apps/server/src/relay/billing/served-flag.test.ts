import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'

// Whether requests were served, as the sums of usage count it: what fails because of its client is counted neither way.

let app: TestApp
let user: TestUser
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000_000, groups: 'served' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const usage = { prompt_tokens: 10, completion_tokens: 5 }

interface ChatOptions {
  readonly responses?: readonly Script[]
  readonly stream?: boolean
}

/** The sums of a model after one chat with a channel of its own. */
async function countsOf(model: string, { responses = [], stream = false }: ChatOptions) {
  await app.make.channel({ models: model, groups: 'served', type: 8 })
  await app.data(contract.option.update, { key: 'ModelRatio', value: JSON.stringify({ [model]: 1 }) })
  const { key } = await app.make.token(user, { isUnlimited: true })
  for (const response of responses) app.upstream.script(response)
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text().catch(() => '')
  await app.app.ledger.drain()
  await app.data(contract.log.series, {})
  const rows = await app.app.store.db
    .selectFrom('usage_sums')
    .select(['requests', 'served', 'unserved'])
    .where('scope', '=', 'model')
    .where('name', '=', model)
    .execute()
  return rows.map((row) => ({ requests: Number(row.requests), served: Number(row.served), unserved: Number(row.unserved) }))
}

describe('the sums of a model', () => {
  test('count a response as served', async () => {
    expect(await countsOf('m-whole', { responses: [json(chatResponse('Hello', usage))] })).toEqual([
      { requests: 1, served: 1, unserved: 0 },
    ])
    const responses = [events([chatChunk({ content: 'Hello' }), chatChunk({}, 'stop'), '[DONE]'])]
    expect(await countsOf('m-stream', { responses, stream: true })).toEqual([{ requests: 1, served: 1, unserved: 0 }])
  })

  test('count a failure, a refused key and a limit of the vendor as not served', async () => {
    const failing = (status: number) => json({ error: { message: 'no', type: 'x', code: 'y' } }, status)
    for (const status of [500, 503, 401, 429]) {
      expect([status, await countsOf(`m-${status}`, { responses: [failing(status)] })]).toEqual([
        status,
        [{ requests: 1, served: 0, unserved: 1 }],
      ])
    }
  })

  test('count a response that breaks off as not served', async () => {
    const responses = [events([chatChunk({ content: 'Hel' })])]
    expect(await countsOf('m-cut', { responses, stream: true })).toEqual([{ requests: 1, served: 0, unserved: 1 }])
  })

  test('count a request that the vendor finds wrong neither way', async () => {
    const wrong = (status: number) => json({ error: { message: 'the prompt is too long', type: 'invalid_request_error' } }, status)
    for (const status of [400, 413, 422]) {
      expect([status, await countsOf(`m-${status}`, { responses: [wrong(status)] })]).toEqual([
        status,
        [{ requests: 1, served: 0, unserved: 0 }],
      ])
    }
  })

  test('are compared with the log and with each other when a database is verified', async () => {
    await countsOf('m-checked', { responses: [json(chatResponse('Hello', usage))] })
    const { db } = app.app.store
    const shift = (by: number, table: 'usage_sums' | 'usage_hours', column: 'served' | 'unserved') =>
      db
        .updateTable(table)
        .set((build) => ({ [column]: build(column, '+', by) }))
        .where(table === 'usage_sums' ? 'name' : 'model_name', '=', 'm-checked')
        .execute()
    for (const column of ['served', 'unserved'] as const) {
      await shift(1, 'usage_sums', column)
      expect(await app.inconsistencies()).toEqual([expect.stringMatching(/^usage_sums model \d+ m-checked: is not the sum of the hours$/)])
      await shift(-1, 'usage_sums', column)
      await shift(1, 'usage_hours', column)
      expect(await app.inconsistencies()).toContainEqual(expect.stringMatching(/^hour \d+: 0 requests .* more than the log has$/))
      await shift(-1, 'usage_hours', column)
    }
  })
})
