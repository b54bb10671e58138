import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { statusOf } from '../../../../test/channel-scene.ts'
import { json, type Script, type Step } from '../../../../test/fake-upstream.ts'

let app: TestApp
let user: TestUser
let key: string
let client: OpenAI
const model = 'gpt-4o'
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ models: model, key: 'first-key' })
  await app.make.channel({ models: model, key: 'second-key' })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
})
afterAll(() => app.close())

const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 52,
}

const message = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

function response(id: string, fields: Readonly<Record<string, unknown>> = {}) {
  return { id, object: 'response', created_at: 1, status: 'completed', model, output: [message('Hello')], error: null, usage, ...fields }
}

/** Events in OpenAI's format: named, and numbered from 0. */
function stream(list: ReadonlyArray<Readonly<Record<string, unknown>>>): Script {
  const send = (event: Readonly<Record<string, unknown>>, index: number): Step => ({
    do: 'send',
    bytes: `event: ${event['type']}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  })
  return [{ do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }, ...list.map(send)]
}

function streamOf(id: string, words: readonly string[], last: Readonly<Record<string, unknown>>) {
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const empty = response(id, { status: 'in_progress', output: [], usage: null })
  return [
    { type: 'response.created', response: empty },
    { type: 'response.in_progress', response: empty },
    { type: 'response.output_item.added', output_index: 0, item: { ...message(''), status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
    ...words.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    last,
  ]
}

function ask(path: string, { method = 'POST', as = key, body }: { method?: string; as?: string; body?: unknown } = {}): Promise<Response> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  return app.request(path, { method, headers: { authorization: `Bearer ${as}` }, ...init })
}

async function refusal(result: Response): Promise<readonly unknown[]> {
  // Holds: the relay sends every refusal in this form.
  const { error } = (await result.json()) as { error: Record<string, unknown> }
  return [result.status, error['code']]
}

async function lastRow() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row
}

const upstreamKey = () => String(app.upstream.received.at(-1)?.headers['authorization'])
const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as unknown
const requestCount = () => app.upstream.received.length

describe('a response', () => {
  test('is forwarded byte for byte without a stream, and charged by its usage', async () => {
    const upstreamResponse = response('resp_whole', { own_field: 1 })
    app.upstream.script(json(upstreamResponse))
    const body = { model, input: 'Hello', max_output_tokens: 1_000, truncation: 'auto', tools: [{ type: 'web_search' }] }
    const result = await ask('/v1/responses', { body })
    expect([result.status, await result.text()]).toEqual([200, JSON.stringify(upstreamResponse)])
    expect(app.upstream.received.at(-1)).toMatchObject({ path: '/v1/responses', body: JSON.stringify({ ...body, model }) })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 40, completion_tokens: 12, cached_tokens: 10, estimated: false })
  })

  test('is streamed to the official client, and its last event waits for the settlement', async () => {
    app.upstream.script(stream(streamOf('resp_stream', ['Hel', 'lo'], { type: 'response.completed', response: response('resp_stream') })))
    const seen: string[] = []
    const running = client.responses.stream({ model, input: [{ role: 'user', content: 'Hello' }] })
    for await (const event of running) seen.push(event.type)
    expect(seen.at(0)).toBe('response.created')
    expect(seen.at(-1)).toBe('response.completed')
    expect((await running.finalResponse()).output_text).toBe('Hello')
    expect(upstreamBody()).toMatchObject({ stream: true })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 40, completion_tokens: 12, is_stream: true, end_reason: 'complete' })
  })

  test('that ends at its limit is complete and charged', async () => {
    const last = { type: 'response.incomplete', response: response('resp_inc', { status: 'incomplete' }) }
    app.upstream.script(stream(streamOf('resp_inc', ['Hel'], last)))
    const text = await (await ask('/v1/responses', { body: { model, input: 'Hello', stream: true } })).text()
    expect(text).toContain('event: response.incomplete')
    expect(await lastRow()).toMatchObject({ completion_tokens: 12, end_reason: 'complete' })
  })

  test('whose stream breaks off ends with an error event that the official client throws, and what was delivered is counted', async () => {
    app.upstream.script(stream(streamOf('resp_cut', ['Hello'], { type: 'response.output_text.delta', delta: ' there' })))
    const running = await client.responses.create({ model, input: 'Hello', stream: true })
    const read = async () => {
      for await (const _ of running);
    }
    expect(await read().catch((error: unknown) => error)).toMatchObject({ code: 'upstream_stream_interrupted' })
    expect(await lastRow()).toMatchObject({ end_reason: 'upstream_cut', estimated: true, completion_tokens: 2 })
  })

  test('that fails in the middle ends with an error event of its dialect, and the failed response', async () => {
    const failed = response('resp_f', { status: 'failed', error: { code: 'server_error', message: 'It broke' } })
    const events = streamOf('resp_f', ['Hello'], { type: 'response.failed', response: failed })
    const steps = stream(events)
    app.upstream.script([...steps.slice(0, -1), { do: 'wait', name: 'failing' }, ...steps.slice(-1)])
    const result = await ask('/v1/responses', { body: { model, input: 'Hello', stream: true } })
    app.upstream.release('failing')
    const text = await result.text()
    const [errorEvent = '', last = ''] = text.trimEnd().split('\n\n').slice(-2)
    expect(errorEvent.startsWith('event: error\ndata: ')).toBe(true)
    expect(JSON.parse(errorEvent.slice(19))).toMatchObject({
      ...{ type: 'error', message: 'It broke', param: null, sequence_number: expect.any(Number) },
      error: { type: 'server_error', message: 'It broke', param: null },
    })
    expect(last.startsWith('event: response.failed\ndata: ')).toBe(true)
    expect(JSON.parse(last.slice(29))).toMatchObject({ response: { id: 'resp_f', status: 'failed', error: { message: 'It broke' } } })
  })

  test('that has failed is retried at another channel, unless the client is at fault', async () => {
    const failed = (code: string) => response('resp_g', { status: 'failed', output: [], error: { code, message: 'No' } })
    app.upstream.script(json(failed('server_error')), json(response('resp_ok')))
    expect((await ask('/v1/responses', { body: { model, input: 'Hello' } })).status).toBe(200)
    const before = requestCount()
    app.upstream.script(json({ ...failed('invalid_prompt'), usage: null }))
    expect(await refusal(await ask('/v1/responses', { body: { model, input: 'Hello' } }))).toEqual([400, 'invalid_prompt'])
    expect(requestCount()).toBe(before + 1)
    expect(await lastRow()).toMatchObject({ quota: 0 })
  })

  test.each([
    [{ input: 'Hello' }, 'model_required'],
    [{ model }, 'invalid_parameter'],
    [{ model, input: '' }, 'invalid_parameter'],
    [{ model, input: [] }, 'invalid_parameter'],
    [{ model, input: ['Hello'] }, 'invalid_parameter'],
    [{ model, input: 'Hello', previous_response_id: 5 }, 'invalid_parameter'],
    [{ model, input: 'Hello', max_output_tokens: -2 }, 'max_tokens_invalid'],
    [{ model, input: 'Hello', background: true }, 'parameter_not_offered'],
    [{ model, input: 'Hello', conversation: 'conv_1' }, 'parameter_not_offered'],
  ])('for %j is refused before anything is sent', async (body, code) => {
    const before = requestCount()
    expect(await refusal(await ask('/v1/responses', { body }))).toEqual([400, code])
    expect(requestCount()).toBe(before)
  })
})

describe('a response that its vendor stores', () => {
  /** Made by either channel. @returns the key of that channel */
  async function createResponse(id: string): Promise<string> {
    app.upstream.script(json(response(id)))
    await (await ask('/v1/responses', { body: { model, input: 'Hello' } })).text()
    return upstreamKey()
  }

  test('is continued at the channel that made it', async () => {
    for (let turn = 0; turn < 8; turn++) {
      const id = `resp_turn_${turn}`
      const by = await createResponse(id)
      app.upstream.script(json(response(`${id}_b`)))
      const next = await client.responses.create({ model, input: 'And then?', previous_response_id: id })
      expect([next.id, upstreamKey()]).toEqual([`${id}_b`, by])
    }
  })

  test('is fetched, listed, cancelled and deleted there, at no cost', async () => {
    const by = await createResponse('resp_kept')
    const { quota } = await app.data(contract.account.self, {}, user)
    app.upstream.script(json(response('resp_kept')))
    expect((await client.responses.retrieve('resp_kept', { include: ['message.output_text.logprobs'] })).id).toBe('resp_kept')
    expect(app.upstream.received.at(-1)).toMatchObject({
      method: 'GET',
      path: '/v1/responses/resp_kept?include%5B%5D=message.output_text.logprobs',
      body: '',
    })
    app.upstream.script(json({ object: 'list', data: [], has_more: false }))
    await ask('/v1/responses/resp_kept/input_items?limit=5&key=secret', { method: 'GET' })
    expect(app.upstream.received.at(-1)).toMatchObject({ method: 'GET', path: '/v1/responses/resp_kept/input_items?limit=5' })
    app.upstream.script(json({ error: { message: 'Only background responses can be cancelled', type: 'invalid_request_error' } }, 400))
    expect((await ask('/v1/responses/resp_kept/cancel')).status).toBe(400)
    app.upstream.script(json({ id: 'resp_kept', object: 'response', deleted: true }))
    await client.responses.delete('resp_kept')
    expect([app.upstream.received.at(-1)?.method, upstreamKey()]).toEqual(['DELETE', by])
    expect(await refusal(await ask('/v1/responses/resp_kept', { method: 'GET' }))).toEqual([404, 'response_not_found'])
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(quota)
  })

  test('is bound to its account: its id is unknown to all others', async () => {
    await createResponse('resp_mine')
    const other = (await app.make.token(await app.make.user())).key
    const before = requestCount()
    for (const method of ['GET', 'DELETE'])
      expect(await refusal(await ask('/v1/responses/resp_mine', { method, as: other }))).toEqual([404, 'response_not_found'])
    for (const path of ['/cancel', '/input_items']) {
      const method = path === '/cancel' ? 'POST' : 'GET'
      expect(await refusal(await ask(`/v1/responses/resp_mine${path}`, { method, as: other }))).toEqual([404, 'response_not_found'])
    }
    const body = { model, input: 'Hello', previous_response_id: 'resp_mine' }
    expect(await refusal(await ask('/v1/responses', { body, as: other }))).toEqual([404, 'response_not_found'])
    expect(requestCount()).toBe(before)
  })

  test('is unreachable if its channel is disabled or has another key, and no other channel is tried', async () => {
    await createResponse('resp_lost')
    const row = await app.app.store.db.selectFrom('kept_answers').selectAll().where('id', '=', 'resp_lost').executeTakeFirstOrThrow()
    const channel = await app.data(contract.channel.get, { id: row.channel_id })
    const body = { model, input: 'Hello', previous_response_id: 'resp_lost' }
    const refusals = async () => [
      await refusal(await ask('/v1/responses', { body })),
      await refusal(await ask('/v1/responses/resp_lost', { method: 'GET' })),
    ]
    const unreachable = [
      [409, 'response_unreachable'],
      [409, 'response_unreachable'],
    ]
    const before = requestCount()
    await app.data(contract.channel.update, { id: row.channel_id, status: 2 })
    expect(await statusOf(app, row.channel_id)).toBe(2)
    expect(await refusals()).toEqual(unreachable)
    await app.data(contract.channel.update, { ...channel, key: 'third-key' })
    expect(await refusals()).toEqual(unreachable)
    expect(requestCount()).toBe(before)
  })

  test('is not recorded if the client says that it must not be stored', async () => {
    app.upstream.script(json(response('resp_not', { store: false })))
    await (await ask('/v1/responses', { body: { model, input: 'Hello', store: false } })).text()
    expect(await refusal(await ask('/v1/responses/resp_not', { method: 'GET' }))).toEqual([404, 'response_not_found'])
  })
})

test('after all tests the ledger is consistent', async () => {
  expect(await app.inconsistencies()).toEqual([])
})
