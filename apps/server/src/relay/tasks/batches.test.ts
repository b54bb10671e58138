import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import { anthropicFor, type BatchScene, batchScene, succeeded, unanswered } from '../../../test/batch-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, holdsOf } from '../../../test/task-scene.ts'

// Batches of messages: created by Anthropic's own client, polled, and charged by their results.

let scene: BatchScene
beforeAll(async () => {
  scene = await batchScene()
})
afterEach(async () => {
  scene.batches.response = () => null
  expect(await scene.app.inconsistencies()).toEqual([])
})
afterAll(() => closeConsistent(scene))

const messages = [{ role: 'user' as const, content: 'Hi' }]
const big = 'claude-sonnet-4-5'
const small = 'claude-haiku-4-5'

/** A request of a batch. */
const ask = (custom_id: string, params: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) => ({
  custom_id,
  params: { model: big, max_tokens: 100, messages, ...params },
})

/** A hundred tokens in and twenty out, at half of 3 and 15 dollars. */
const responsePrice = (100 + 20 * 5) * 1.5 * 0.5

const startBalance = 10_000_000

async function stranger(quota = startBalance, token: Parameters<typeof scene.app.make.token>[1] = { isUnlimited: true }) {
  const user = await scene.app.make.user({ quota })
  const { key } = await scene.app.make.token(user, token)
  return { user, key, client: anthropicFor(scene, key) }
}

type Stranger = Awaited<ReturnType<typeof stranger>>

async function spentBy({ user }: Stranger): Promise<number> {
  return startBalance - (await balanceOf(scene.app, user))
}

async function logOf({ user }: Stranger) {
  return await scene.app.data(contract.log.list, { username: user.username })
}

async function readAll(client: Anthropic, id: string) {
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = []
  for await (const result of await client.messages.batches.results(id)) results.push(result)
  return results
}

/** The refusal of a call. */
async function refusal(work: Promise<unknown>) {
  const error = await work.catch((reason: unknown) => reason)
  if (!(error instanceof Anthropic.APIError)) throw new Error('the call was not refused')
  // Holds: errors of this protocol have this form.
  const { error: apiError } = error.error as { readonly error: { readonly type: string; readonly message: string } }
  return { status: error.status as unknown, type: apiError.type, message: apiError.message }
}

describe('a batch', () => {
  test('is created, polled, read, charged by its results and deleted', async () => {
    const { app, batches, poll } = scene
    const someone = await stranger()
    const { client } = someone
    const created = await client.messages.batches.create({ requests: [ask('a'), ask('b', { model: small })] })
    expect(created).toMatchObject({
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: 2, succeeded: 0 },
      results_url: null,
      ended_at: null,
    })
    expect(created.id).toStartWith('msgbatch_')
    expect(created.id).not.toBe(batches.last().id)
    expect(await client.messages.batches.retrieve(created.id)).toEqual(created)
    expect(await readAll(client, created.id).catch((error: unknown) => error)).toBeInstanceOf(Anthropic.AnthropicError)
    const early = await app.request(`/v1/messages/batches/${created.id}/results`, { headers: { 'x-api-key': someone.key } })
    expect([early.status, ((await early.json()) as { type: string }).type]).toEqual([409, 'error'])
    expect(await refusal(client.messages.batches.delete(created.id))).toMatchObject({ status: 409 })
    expect(await holdsOf(app)).toBe(1)
    batches.end([succeeded('b', { model: small, usage: { input_tokens: 10, output_tokens: 4 } }), succeeded('a')])
    await poll()
    const ended = await client.messages.batches.retrieve(created.id)
    expect(ended).toMatchObject({ id: created.id, processing_status: 'ended', request_counts: { processing: 0, succeeded: 2 } })
    expect(ended.results_url).toBe(`${app.url}/v1/messages/batches/${created.id}/results`)
    expect((await client.messages.batches.list()).data).toEqual([ended])
    const results = await readAll(client, created.id)
    expect(results.map(({ custom_id: id, result }) => [id, result.type === 'succeeded' ? result.message.model : null])).toEqual([
      ['b', small],
      ['a', big],
    ])
    // Both are rounded up once.
    expect(await spentBy(someone)).toBe(Math.ceil(responsePrice + (10 + 4 * 5) * 0.5 * 0.5))
    const [row, ...others] = await logOf(someone)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      model_name: `${big}, ${small}`,
      quota: await spentBy(someone),
      prompt_tokens: 110,
      completion_tokens: 24,
      protocol: 'anthropic',
      kind: 'batches',
      // The list price of both models.
      cost: await spentBy(someone),
    })
    expect(row?.content).toContain(`${small}; 10 input tokens × 0.25 + 4 output tokens × 1.25`)
    expect(await client.messages.batches.delete(created.id)).toEqual({ id: created.id, type: 'message_batch_deleted' })
    expect(await refusal(client.messages.batches.retrieve(created.id))).toMatchObject({ status: 404, type: 'not_found_error' })
    expect([...batches.batches.values()]).toEqual([])
  })

  test('arrives as it was sent, with the channel’s names of the models and the beta features of all requests', async () => {
    const { app, batches, poll } = scene
    const { client } = await stranger()
    const deep = { metadata: { user_id: 'a' } }
    const requests = [
      ask('a', { ...deep, system: [{ type: 'text', text: 'Be short', cache_control: { type: 'ephemeral' } }] }),
      ask('b', { model: small, context_management: { edits: [] } } as object),
    ]
    await client.messages.batches.create({ requests, new_parameter: { deep: [1] } } as never, {
      headers: { 'anthropic-beta': 'output-300k-2026-03-24' },
    })
    const upstreamRequest = app.upstream.received.findLast(({ method, path }) => method === 'POST' && path === '/v1/messages/batches')
    expect(JSON.parse(upstreamRequest?.body ?? '')).toEqual({
      new_parameter: { deep: [1] },
      requests: [ask('a', { ...requests[0]?.params, model: 'claude-sonnet-4-5-20250929' }), requests[1]],
    })
    expect(upstreamRequest?.headers['x-api-key']).toBe('sk-ant-vendor')
    expect(upstreamRequest?.headers['anthropic-beta']).toBe('output-300k-2026-03-24,context-management-2025-06-27')
    const { 'anthropic-version': version } = upstreamRequest?.headers ?? {}
    expect(version).toMatch(/^20\d\d-/)
    batches.end([unanswered('a', 'errored'), unanswered('b', 'errored')])
    await poll()
    // Later requests have the form that the client knows.
    expect(app.upstream.received.at(-1)?.path).toEndWith('/results')
    expect(app.upstream.received.at(-1)?.headers).toMatchObject({
      'anthropic-version': version,
      'anthropic-beta': upstreamRequest?.headers['anthropic-beta'],
    })
  })

  test('costs nothing for requests without a response, and is one row of the log', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const { id } = await someone.client.messages.batches.create({ requests: ['a', 'b', 'c', 'd'].map((name) => ask(name)) })
    batches.end([unanswered('a', 'errored'), succeeded('b'), unanswered('c', 'canceled'), unanswered('d', 'expired')])
    await poll()
    expect(await spentBy(someone)).toBe(responsePrice)
    expect((await readAll(someone.client, id)).map(({ result }) => result.type)).toEqual(['errored', 'succeeded', 'canceled', 'expired'])
    const free = await stranger()
    await free.client.messages.batches.create({ requests: [ask('a')] })
    batches.end([unanswered('a', 'errored')])
    await poll()
    expect(await spentBy(free)).toBe(0)
    expect(await logOf(free)).toMatchObject([{ quota: 0, model_name: big, content: big }])
  })

  test('that is canceled is still charged for its responses', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const { client } = someone
    const { id } = await client.messages.batches.create({ requests: [ask('a'), ask('b')] })
    expect(await client.messages.batches.cancel(id)).toMatchObject({ id, processing_status: 'canceling', results_url: null })
    await poll()
    expect(await client.messages.batches.retrieve(id)).toMatchObject({ processing_status: 'canceling' })
    batches.end([succeeded('a'), unanswered('b', 'canceled')])
    await poll()
    expect(await client.messages.batches.retrieve(id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { succeeded: 1, canceled: 1 },
    })
    expect(await spentBy(someone)).toBe(responsePrice)
    // Again, it has no effect.
    expect(await client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'ended' })
  })

  test('reserves what its requests reserve, at the price of batches, and is refused without', async () => {
    const { app, batches, poll } = scene
    const requests = [ask('a', { max_tokens: 1_000 }), ask('b', { max_tokens: 3_000 })]
    const someone = await stranger()
    await someone.client.messages.batches.create({ requests })
    const { held } = await app.app.store.db
      .selectFrom('tasks')
      .select('held')
      .where('user_id', '=', someone.user.id)
      .executeTakeFirstOrThrow()
    const output = 4_000 * 5 * 1.5 * 0.5
    expect(Number(held)).toBeWithin(output, output + 50)
    batches.end([succeeded('a'), succeeded('b')])
    await poll()
    expect(await spentBy(someone)).toBe(2 * responsePrice)
    const poor = await stranger(Number(held) - 1)
    expect(await refusal(poor.client.messages.batches.create({ requests }))).toMatchObject({ status: 403 })
    expect((await poor.client.messages.batches.list()).data).toEqual([])
  })

  test('is listed in pages', async () => {
    const { batches, poll } = scene
    const { client } = await stranger()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      ids.unshift((await client.messages.batches.create({ requests: [ask(name)] })).id)
      batches.end([unanswered(name, 'expired')])
    }
    await poll()
    const listed: string[] = []
    for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id)
    expect(listed).toEqual(ids)
    const before = await client.messages.batches.list({ before_id: ids[2] ?? '', limit: 1 })
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([[ids[1] ?? ''], true])
    expect(await refusal(client.messages.batches.list({ limit: 0 }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('limit'),
    })
    expect(await refusal(client.messages.batches.list({ after_id: 'msgbatch_unknown' }))).toMatchObject({ status: 404 })
  })
})

describe('a batch is refused by name', () => {
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ['no requests', [], 'requests'],
    ['a name that comes twice', [ask('a'), ask('b'), ask('a')], 'requests[2].custom_id'],
    ['a name that cannot be one', [ask('a b')], 'requests[0].custom_id'],
    ['no parameters', [{ custom_id: 'a' }], 'requests[0].params'],
    ['no model', [{ custom_id: 'a', params: { max_tokens: 1, messages } }], 'requests[0].params.model'],
    ['no messages', [ask('a', { messages: [] })], 'requests[0].params.messages'],
    ['no limit', [{ custom_id: 'a', params: { model: big, messages } }], 'requests[0].params.max_tokens'],
    ['a limit that is none', [ask('a'), ask('b', { max_tokens: -5 })], 'requests[1].params.max_tokens'],
    ['a stream', [ask('a', { stream: true } as object)], 'requests[0].params.stream'],
  ]
  test.each(wrong)('for %s', async (_, requests, name) => {
    const { client } = await stranger()
    const refused = await refusal(client.messages.batches.create({ requests } as never))
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error', message: expect.stringContaining(name) })
  })

  test('for models without a channel for batches, or without one that serves all of them', async () => {
    const { app } = scene
    await app.make.channel({ models: 'gpt-4o-mini' })
    await app.make.channel({ type: 14, models: 'claude-opus-4-5' })
    const { client } = await stranger()
    const send = (...models: readonly string[]) =>
      refusal(client.messages.batches.create({ requests: models.map((model, index) => ask(`r${index}`, { model })) }))
    expect(await send(big, 'gpt-4o-mini')).toMatchObject({ status: 400, message: expect.stringContaining('gpt-4o-mini') })
    expect(await send(big, 'claude-opus-4-5')).toMatchObject({ status: 400, message: expect.stringContaining(`${big}, claude-opus-4-5`) })
    expect(await send('claude-unknown')).toMatchObject({ status: 404, message: expect.stringContaining('claude-unknown') })
  })

  test('for a token that may not use one of its models', async () => {
    const { client } = await stranger(startBalance, { models: small })
    const refused = await refusal(client.messages.batches.create({ requests: [ask('a', { model: small }), ask('b')] }))
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining(big) })
  })

  test('that name a model in a request, even the same', async () => {
    const { client } = await stranger()
    const advisor = { type: 'advisor_20260301', name: 'advisor', model: big } as never
    const refused = await refusal(client.messages.batches.create({ requests: [ask('a'), ask('b', { tools: [advisor] })] }))
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('requests[1].params.tools[0].model') })
    const fallbacks = { fallbacks: [{ model: big, max_tokens: 60_000 }] } as object
    expect(await refusal(client.messages.batches.create({ requests: [ask('a', fallbacks)] }))).toMatchObject({ status: 400 })
  })

  test('in the vendor’s words, for nothing', async () => {
    const someone = await stranger()
    scene.batches.response = () => json({ type: 'error', error: { type: 'invalid_request_error', message: 'too many tools' } }, 400)
    const refused = await refusal(someone.client.messages.batches.create({ requests: [ask('a')] }))
    expect(refused).toEqual({ status: 400, type: 'invalid_request_error', message: 'too many tools' })
    expect(await spentBy(someone)).toBe(0)
    expect(await holdsOf(scene.app)).toBe(0)
  })
})

describe('results', () => {
  test('that are no result of a request, and those that come twice, are neither given nor charged', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const { id } = await someone.client.messages.batches.create({ requests: [ask('a'), ask('b'), ask('__proto__')] })
    batches.end([
      ...['{"custom_id":"a","result":{"type":"succ', 'null', '[]', '{"custom_id":7}', '', succeeded('stranger'), succeeded('a')],
      ...[succeeded('a'), unanswered('b', 'errored'), succeeded('b'), succeeded('__proto__')],
    ])
    await poll()
    const lines = await readAll(someone.client, id)
    expect(lines.map(({ custom_id: name, result }) => [name, result.type])).toEqual([
      ['a', 'succeeded'],
      ['b', 'errored'],
      ['__proto__', 'succeeded'],
    ])
    expect(await spentBy(someone)).toBe(2 * responsePrice)
  })

  test.each([
    ['no usage', { usage: undefined }],
    ['nonsense for usage', { usage: { input_tokens: -1, output_tokens: 1e12 } }],
    ['no tokens for a prompt', { usage: { input_tokens: 0, output_tokens: 1 } }],
  ])('with %s are charged by our own count', async (_, message) => {
    const { batches, poll } = scene
    const someone = await stranger()
    await someone.client.messages.batches.create({ requests: [ask('a')] })
    batches.end([succeeded('a', { ...message, content: [{ type: 'text', text: 'one two three four five' }] })])
    await poll()
    const [row] = await logOf(someone)
    expect(row).toMatchObject({ completion_tokens: 5, estimated: true, content: expect.stringContaining('counted locally') })
    expect(row?.quota).toBe(Math.ceil((Number(row?.prompt_tokens) + 5 * 5) * 1.5 * 0.5))
    expect(row?.prompt_tokens).toBeWithin(4, 12)
  })

  test('with more tokens than their requests allow are charged by our own count, and one that was refused is free', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    await someone.client.messages.batches.create({ requests: [ask('a'), ask('b'), ask('c')] })
    const content = [{ type: 'text', text: 'one two three four five' }]
    batches.end([
      succeeded('a', { content, usage: { input_tokens: 10, output_tokens: 1_000_000 } }),
      succeeded('b', { content, usage: { input_tokens: 900_000, output_tokens: 5 } }),
      succeeded('c', { content: [], stop_reason: 'refusal', usage: { input_tokens: 1_000, output_tokens: 1 } }),
    ])
    await poll()
    const [row] = await logOf(someone)
    expect(row).toMatchObject({
      completion_tokens: 10,
      usage_suspect: true,
      estimated: true,
      content: expect.stringContaining('implausible usage'),
    })
    expect(row?.prompt_tokens).toBeWithin(8, 14)
    expect(row?.quota).toBe(Math.ceil((Number(row?.prompt_tokens) + 10 * 5) * 1.5 * 0.5))
  })

  test('count caches, searches and a region as single messages do, at half the price of tokens', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    // A prompt that is long enough for such a cache.
    const { params, ...one } = ask('a')
    const mark = { type: 'ephemeral' as const, ttl: '1h' as const }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'word '.repeat(1_500), cache_control: mark }] }]
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 }]
    await someone.client.messages.batches.create({ requests: [{ ...one, params: { ...params, messages, tools } }] })
    const usage = {
      ...{ input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 400 },
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 100 },
      server_tool_use: { web_search_requests: 2 },
    }
    batches.end([succeeded('a', { usage })])
    await poll()
    const tokens = (100 + 10 * 5 + 1_000 * 0.1 + 300 * 1.25 + 100 * 2) * 1.5 * 0.5
    expect(await spentBy(someone)).toBe(Math.ceil(tokens + 2 * 0.01 * 500_000))
  })

  test('have no searches and no region that their requests did not ask for', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const searches = { type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 1 }
    await someone.client.messages.batches.create({ requests: [ask('a'), ask('b', { tools: [searches] })] })
    const usage = { input_tokens: 10, output_tokens: 10, server_tool_use: { web_search_requests: 900 }, inference_geo: 'us' }
    batches.end([succeeded('a', { usage }), succeeded('b', { usage })])
    await poll()
    expect(await spentBy(someone)).toBe(Math.ceil(2 * (10 + 10 * 5) * 1.5 * 0.5 + 0.01 * 500_000))
  })

  test('that cannot be read for an hour are charged and given when they can', async () => {
    const { app, batches, poll } = scene
    const someone = await stranger()
    const { id } = await someone.client.messages.batches.create({ requests: [ask('a')] })
    batches.end([succeeded('a')])
    const broken = [
      [{ do: 'cut' }],
      json({ error: 'broken' }, 500),
      [{ do: 'head', status: 200 }, { do: 'send', bytes: succeeded('a').slice(0, 50) }, { do: 'pause', ms: 5 }, { do: 'cut' }],
    ] as const
    for (let minute = 0; minute < 60; minute += 5) {
      batches.response = ({ path }) => (path.endsWith('/results') ? (broken[minute % broken.length] ?? []) : null)
      await poll(5 * 60_000)
      expect(await someone.client.messages.batches.retrieve(id)).toMatchObject({ processing_status: 'in_progress', results_url: null })
    }
    expect([await spentBy(someone), await holdsOf(app)]).toEqual([0, 1])
    batches.response = () => null
    await poll(5 * 60_000)
    expect(await readAll(someone.client, id)).toHaveLength(1)
    expect(await spentBy(someone)).toBe(responsePrice)
  })

  test('of which some are missing are waited for, for an hour', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const { id } = await someone.client.messages.batches.create({ requests: [ask('a'), ask('b')] })
    batches.end([succeeded('a')])
    await poll()
    expect(await someone.client.messages.batches.retrieve(id)).toMatchObject({ processing_status: 'in_progress' })
    expect(await spentBy(someone)).toBe(0)
    await poll(61 * 60_000)
    expect(await readAll(someone.client, id)).toHaveLength(1)
    expect(await spentBy(someone)).toBe(responsePrice)
  })

  test('that are longer than any response are left out, and the others are charged and given', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const { id } = await someone.client.messages.batches.create({ requests: [ask('a'), ask('b'), ask('c')] })
    const text = 'x'.repeat(33 * 1024 * 1024)
    batches.end([
      succeeded('a', { content: [{ type: 'text', text }] }),
      succeeded('b'),
      succeeded('c', { content: [{ type: 'text', text }] }),
    ])
    await poll()
    expect(await spentBy(someone)).toBe(0)
    await poll(61 * 60_000)
    expect((await readAll(someone.client, id)).map(({ custom_id: name }) => name)).toEqual(['b'])
    expect(await spentBy(someone)).toBe(responsePrice)
  })

  test('that break off are broken off for the client, too', async () => {
    const { app, batches, poll } = scene
    const { client, key } = await stranger()
    const { id } = await client.messages.batches.create({ requests: [ask('a'), ask('b')] })
    batches.end([succeeded('a'), succeeded('b')])
    await poll()
    batches.response = ({ path }) =>
      path.endsWith('/results')
        ? [{ do: 'head', status: 200 }, { do: 'send', bytes: `${succeeded('a')}\n` }, { do: 'pause', ms: 20 }, { do: 'cut' }]
        : null
    const response = await app.request(`/v1/messages/batches/${id}/results`, { headers: { 'x-api-key': key } })
    expect(response.status).toBe(200)
    expect(await response.text().catch(() => 'cut')).toBe('cut')
    batches.response = ({ path }) => (path.endsWith('/results') ? json({}, 404) : null)
    expect((await app.request(`/v1/messages/batches/${id}/results`, { headers: { 'x-api-key': key } })).status).toBe(410)
  })
})

describe('a batch that is sent again under its name', () => {
  const named = (name: string) => ({ headers: { 'idempotency-key': name } })
  const submissionCount = (): number =>
    scene.app.upstream.received.filter(({ method, path }) => method === 'POST' && path === '/v1/messages/batches').length

  test('is the same batch, while it runs and after its end', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    const params = { requests: [ask('a'), ask('b', { model: small })] }
    const before = submissionCount()
    const first = await someone.client.messages.batches.create(params, named('nightly-1'))
    expect(await someone.client.messages.batches.create(params, named('nightly-1'))).toEqual(first)
    batches.end([succeeded('a'), unanswered('b', 'errored')])
    await poll()
    expect(await someone.client.messages.batches.create(params, named('nightly-1'))).toMatchObject({
      id: first.id,
      processing_status: 'ended',
    })
    expect(submissionCount()).toBe(before + 1)
    expect(await spentBy(someone)).toBe(responsePrice)
    expect((await someone.client.messages.batches.list()).data).toHaveLength(1)
  })

  test('becomes one batch where it was sent several times at once', async () => {
    const { app, batches, poll } = scene
    const someone = await stranger()
    const before = submissionCount()
    const work = Array.from({ length: 6 }, () => someone.client.messages.batches.create({ requests: [ask('a')] }, named('nightly-2')))
    const responses = await Promise.allSettled(work)
    expect(submissionCount()).toBe(before + 1)
    expect(await holdsOf(app)).toBe(1)
    const ids = responses.flatMap((response) => (response.status === 'fulfilled' ? [response.value.id] : []))
    expect(new Set(ids).size).toBe(1)
    for (const response of responses) if (response.status === 'rejected') expect(response.reason).toMatchObject({ status: 409 })
    batches.end([succeeded('a')])
    await poll()
    expect(await spentBy(someone)).toBe(responsePrice)
  })

  test('may not be another one: of other requests, with other features or of another kind of task', async () => {
    const { batches, poll } = scene
    const { client, key } = await stranger()
    const params = { requests: [ask('a')] }
    const { id } = await client.messages.batches.create(params, named('nightly-3'))
    const reused = { status: 409, type: 'invalid_request_error', message: expect.stringContaining('Idempotency-Key') }
    const others = [{ requests: [ask('b')] }, { requests: [ask('a'), ask('b')] }, { ...params, new_parameter: 1 }]
    for (const other of others) expect(await refusal(client.messages.batches.create(other, named('nightly-3')))).toMatchObject(reused)
    const features = { headers: { ...named('nightly-3').headers, 'anthropic-beta': 'output-300k-2026-03-24' } }
    expect(await refusal(client.messages.batches.create(params, features))).toMatchObject(reused)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...named('nightly-3').headers }
    const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4' })
    expect((await scene.app.request('/v1/videos', { method: 'POST', headers, body })).status).toBe(409)
    // The name is that of the account.
    const other = await stranger()
    expect((await other.client.messages.batches.create(params, named('nightly-3'))).id).not.toBe(id)
    for (const batch of batches.batches.values())
      if (batch.status !== 'ended') Object.assign(batch, { status: 'ended', lines: [unanswered('a', 'expired')] })
    await poll()
  })

  test('may be sent again where it was refused', async () => {
    const { batches, poll } = scene
    const someone = await stranger()
    batches.response = () => json({ type: 'error', error: { type: 'invalid_request_error', message: 'too many tools' } }, 400)
    const params = { requests: [ask('a')] }
    expect(await refusal(someone.client.messages.batches.create(params, named('nightly-4')))).toMatchObject({ status: 400 })
    batches.response = () => null
    expect(await someone.client.messages.batches.create(params, named('nightly-4'))).toMatchObject({ processing_status: 'in_progress' })
    batches.end([unanswered('a', 'expired')])
    await poll()
    expect(await refusal(someone.client.messages.batches.create(params, named('two words')))).toMatchObject({ status: 400 })
  })
})

describe('a batch that runs', () => {
  test('is its account’s, whichever token created it', async () => {
    const { app, batches, poll } = scene
    const [owner, other] = [await stranger(), await stranger()]
    const { id } = await owner.client.messages.batches.create({ requests: [ask('a')] })
    for (const call of [
      () => other.client.messages.batches.retrieve(id),
      () => other.client.messages.batches.cancel(id),
      () => other.client.messages.batches.delete(id),
      () => readAll(other.client, id),
    ])
      expect(await refusal(call())).toMatchObject({ status: 404 })
    expect((await other.client.messages.batches.list()).data).toEqual([])
    await app.app.store.db.deleteFrom('tokens').where('user_id', '=', owner.user.id).execute()
    batches.end([succeeded('a')])
    await poll()
    const { key } = await app.make.token(owner.user, { isUnlimited: true })
    expect(await readAll(anthropicFor(scene, key), id)).toHaveLength(1)
    expect(await spentBy(owner)).toBe(responsePrice)
  })

  test('is charged to an account that was banned meanwhile, which cannot read it', async () => {
    const { app, batches, poll } = scene
    const owner = await stranger()
    const { id } = await owner.client.messages.batches.create({ requests: [ask('a')] })
    await app.data(contract.user.manage, { username: owner.user.username, action: 'disable' })
    batches.end([succeeded('a')])
    await poll()
    expect(await spentBy(owner)).toBe(responsePrice)
    expect((await refusal(owner.client.messages.batches.retrieve(id))).status).toBe(403)
  })

  test('is polled and read at the channel that it was created at, even after that was deleted', async () => {
    const { app, batches, poll } = scene
    const owner = await stranger()
    const channel = await app.make.channel({ type: 14, key: 'sk-ant-old', models: 'claude-opus-4-6' })
    const { id } = await owner.client.messages.batches.create({ requests: [ask('a', { model: 'claude-opus-4-6' })] })
    await app.data(contract.channel.remove, { id: channel })
    batches.end([succeeded('a', { model: 'claude-opus-4-6' })])
    await poll()
    expect(await readAll(owner.client, id)).toHaveLength(1)
    expect(app.upstream.received.at(-1)?.headers['x-api-key']).toBe('sk-ant-old')
    expect(await spentBy(owner)).toBe(Math.ceil((100 + 20 * 5) * 2.5 * 0.5))
  })

  test('that its vendor does not know any more is free', async () => {
    const { batches, poll } = scene
    const owner = await stranger()
    const { id } = await owner.client.messages.batches.create({ requests: [ask('a')] })
    batches.batches.clear()
    for (let polls = 0; polls < 13; polls += 1) await poll(5 * 60_000)
    expect(await owner.client.messages.batches.retrieve(id)).toMatchObject({ processing_status: 'ended', request_counts: { errored: 1 } })
    expect(await spentBy(owner)).toBe(0)
  })

  test('is among the tasks of its account, for clients and in the console', async () => {
    const { app, batches, poll } = scene
    const owner = await stranger()
    const { id } = await owner.client.messages.batches.create({ requests: [ask('a'), ask('b', { model: small })] })
    const listed = await app.request('/v1/tasks?kind=batches', { headers: { authorization: `Bearer ${owner.key}` } })
    expect(await listed.json()).toMatchObject({ data: [{ id, kind: 'batches', status: 'queued', model: `${big}, ${small}`, results: [] }] })
    const row = async () => (await app.data(contract.task.list, { username: owner.user.username }))[0]
    expect(await row()).toMatchObject({
      ...{ public_id: id, kind: 'batches', model: `${big}, ${small}`, prompt: '', cancellable: true, charged: 0 },
      upstream_model: `claude-sonnet-4-5-20250929, ${small}`,
    })
    const { id: rowId = 0 } = (await row()) ?? {}
    expect((await app.data(contract.task.get, { id: rowId })).parameters).toEqual({ requests: 2, models: [big, small] })
    batches.end([succeeded('a'), unanswered('b', 'errored')])
    await poll()
    expect(await row()).toMatchObject({ state: 'completed', charged: responsePrice, results: [], cancellable: false })
    expect((await app.request(`/v1/tasks/${id}/content`, { headers: { authorization: `Bearer ${owner.key}` } })).status).toBe(404)
  })
})

// It comes last: the sessions of the scene end with the month that passes.
test('results are gone after 29 days, and a batch that could not be read by then is free', async () => {
  const { batches, poll, clock } = scene
  const [read, unread] = [await stranger(), await stranger()]
  const { id } = await read.client.messages.batches.create({ requests: [ask('a')] })
  batches.end([succeeded('a')])
  await poll()
  const { id: lost } = await unread.client.messages.batches.create({ requests: [ask('a')] })
  batches.end([succeeded('a')])
  batches.response = ({ path }) => (path.endsWith('/results') ? json({}, 500) : null)
  for (let polls = 0; polls < 31; polls += 1) await poll(4 * 60_000)
  clock.advance(29 * 86_400_000)
  await poll()
  expect(await refusal(readAll(read.client, id))).toMatchObject({ status: 410 })
  expect(await unread.client.messages.batches.retrieve(lost)).toMatchObject({
    processing_status: 'ended',
    request_counts: { expired: 1 },
    results_url: null,
  })
  expect(await spentBy(unread)).toBe(0)
})
