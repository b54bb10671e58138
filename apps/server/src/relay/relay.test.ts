import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../../test/app.ts'
import { chatChunk, chatResponse, chatStream, events, json, type Script, usageChunk } from '../../test/fake-upstream.ts'
import { until } from '../../test/server-process.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** A new account with a token and channels that respond according to the given scripts, highest priority first. */
async function scene(...channels: Script[][]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 1_000_000 })
  const token = await app.make.token(user)
  const ids: number[] = []
  for (const [index, scripts] of channels.entries()) {
    ids.push(await app.make.channel({ groups: group, priority: -index }))
    app.upstream.script(...scripts)
  }
  const client = new OpenAI({ apiKey: token.key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  return { user, token, client, ids, group }
}

async function logsOf(user: TestUser) {
  await app.app.ledger.drain()
  return await app.data(contract.log.list, { username: user.username })
}

async function balanceOf(user: TestUser): Promise<number> {
  return (await app.data(contract.account.self, {}, user)).quota
}

async function errorOf(promise: Promise<unknown>): Promise<{ status: number | undefined; code: string | null | undefined }> {
  try {
    await promise
  } catch (error) {
    if (error instanceof OpenAI.APIError) return { status: error.status, code: error.code }
    throw error
  }
  throw new Error('no error came')
}

// After every case nothing is reserved, and the log rows explain every balance.
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

describe('a response without a stream', () => {
  test('reaches the official client, is charged exactly and logged once', async () => {
    const { client, user } = await scene([
      json(chatResponse('Hello there', { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 })),
    ])
    const response = await client.chat.completions.create(hello)
    expect(response.choices[0]?.message.content).toBe('Hello there')
    // gpt-4o-mini: 0.075 per prompt token, four times that per completion token.
    expect(1_000_000 - (await balanceOf(user))).toBe(225)
    const [row, ...others] = await logsOf(user)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      type: 2,
      quota: 225,
      prompt_tokens: 1000,
      completion_tokens: 500,
      model_name: 'gpt-4o-mini',
      is_stream: false,
      attempts: 1,
      end_reason: 'complete',
      estimated: false,
    })
  })

  test('passes byte for byte', async () => {
    const body = { ...chatResponse(), unknown_field: { kept: [1, null, 'ü'] } }
    const { token } = await scene([json(body)])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify(hello),
    })
    expect(await response.text()).toBe(JSON.stringify(body))
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('sends upstream what the client sent, with the channel’s own key and none of the client’s headers', async () => {
    const { token } = await scene([json(chatResponse())])
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}`, cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', 'openai-organization': 'org' },
      body: JSON.stringify({ ...hello, max_tokens: 50, temperature: 0.3, min_p: 0.1 }),
    })
    const got = app.upstream.received.at(-1)
    expect(JSON.parse(got?.body ?? '')).toEqual({ ...hello, max_tokens: 50, temperature: 0.3, min_p: 0.1 })
    expect(got?.path).toBe('/v1/chat/completions')
    expect(got?.headers['authorization']).toBe('Bearer upstream-key')
    for (const name of ['cookie', 'x-forwarded-for', 'openai-organization']) expect(got?.headers[name]).toBeUndefined()
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is read if the vendor compresses it unasked: %s', async (coding, compress) => {
    const head = { do: 'head', status: 200, headers: { 'content-type': 'application/json', 'content-encoding': coding } } as const
    const { client } = await scene([[head, { do: 'send', bytes: compress(JSON.stringify(chatResponse('Unpacked'))) }]])
    expect((await client.chat.completions.create(hello)).choices[0]?.message.content).toBe('Unpacked')
  })

  test('in an unknown content coding is retried at another channel', async () => {
    const head = { do: 'head', status: 200, headers: { 'content-type': 'application/json', 'content-encoding': 'rot13' } } as const
    const { client } = await scene([[head]], [json(chatResponse('Plain'))])
    expect((await client.chat.completions.create(hello)).choices[0]?.message.content).toBe('Plain')
  })

  test('is counted locally and marked when the vendor gave no usage', async () => {
    const { client, user } = await scene([json(chatResponse('Hello world', null))])
    await client.chat.completions.create(hello)
    const [row] = await logsOf(user)
    expect(row).toMatchObject({ estimated: true, completion_tokens: 2 })
    // Eight prompt tokens at 0.075 and two output tokens at 0.3, rounded up.
    expect(row?.quota).toBe(2)
  })

  test('uses the mapped model upstream and charges the requested one', async () => {
    const { user, token } = await scene()
    await app.make.channel({
      groups: (await app.data(contract.account.self, {}, user)).group,
      models: 'gpt-4o',
      mapping: { 'gpt-4o': 'gpt-4o-2024-08-06' },
    })
    app.upstream.script(json(chatResponse()))
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, model: 'gpt-4o' }),
    })
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ model: 'gpt-4o-2024-08-06' })
    expect((await logsOf(user))[0]).toMatchObject({ model_name: 'gpt-4o', upstream_model: 'gpt-4o-2024-08-06' })
  })
})

describe('a stream', () => {
  test('reaches the official client word by word and is charged by its usage', async () => {
    const { client, user } = await scene([chatStream(['Hel', 'lo', '!'], { promptTokens: 1000, completionTokens: 500 })])
    const words: string[] = []
    for await (const chunk of await client.chat.completions.create({ ...hello, stream: true }))
      words.push(chunk.choices[0]?.delta.content ?? '')
    expect(words.join('')).toBe('Hello!')
    expect((await logsOf(user))[0]).toMatchObject({ quota: 225, is_stream: true, end_reason: 'complete' })
  })

  test('asks upstream for usage and removes the usage chunk if the client did not ask for it', async () => {
    const { token } = await scene([chatStream(['a'])], [chatStream(['a'])])
    const ask = async (body: object): Promise<string> =>
      (
        await app.request('/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${token.key}` },
          body: JSON.stringify({ ...hello, stream: true, ...body }),
        })
      ).text()
    expect(await ask({})).not.toContain('"usage"')
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ stream_options: { include_usage: true } })
    expect(await ask({ stream_options: { include_usage: true } })).toContain('"usage"')
  })

  test('is settled before the client sees its end', async () => {
    const { token, user } = await scene([chatStream(['a'])])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    const text = await response.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    const row = await app.app.store.db.selectFrom('logs').select('end_reason').where('user_id', '=', user.id).executeTakeFirst()
    expect(row?.end_reason).toBe('complete')
  })

  test('that breaks off ends with an error and no terminator, and the delivered part is charged', async () => {
    const script = events(
      [chatChunk({ role: 'assistant', content: '' }), chatChunk({ content: 'one two three' })],
      [{ do: 'wait', name: 'seen' }, { do: 'cut' }],
    )
    const { token, user } = await scene([script])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('three')) app.upstream.release('seen')
    }
    expect(text).toContain('upstream_stream_interrupted')
    expect(text).not.toContain('[DONE]')
    expect((await logsOf(user))[0]).toMatchObject({ end_reason: 'upstream_cut', completion_tokens: 3, estimated: true })
  })

  test('that ends without a terminator but with a finish reason is complete, and gets the terminator that clients wait for', async () => {
    const { token, user } = await scene([events([chatChunk({ content: 'a' }), chatChunk({}, 'stop'), usageChunk(3, 1)])])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    const text = await response.text()
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(text).not.toContain('error')
    expect((await logsOf(user))[0]).toMatchObject({ end_reason: 'complete', prompt_tokens: 3 })
  })

  test('whose client leaves is aborted upstream and charged for what was delivered', async () => {
    const script = events([chatChunk({ role: 'assistant', content: '' }), chatChunk({ content: 'one two three' })], [{ do: 'hang' }])
    const { token, user } = await scene([script])
    const control = new AbortController()
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
      signal: control.signal,
    })
    const reader = response.body?.getReader()
    let seen = ''
    while (!seen.includes('three')) seen += new TextDecoder().decode((await reader?.read())?.value)
    control.abort()
    await app.upstream.received.at(-1)?.aborted
    await until(async () => (await logsOf(user)).length > 0)
    expect((await logsOf(user))[0]).toMatchObject({ end_reason: 'client_gone', completion_tokens: 3, estimated: true })
  })

  test('whose client leaves at once, before anything is sent, leaves no reservation behind', async () => {
    const { token, user, client } = await scene([])
    app.upstream.fallback(() => chatStream(['one', ' two', ' three']))
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const control = new AbortController()
        const pending = app.request('/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${token.key}` },
          body: JSON.stringify({ ...hello, stream: number % 3 > 0 }),
          signal: control.signal,
        })
        queueMicrotask(() => control.abort())
        await pending.catch(() => null)
      }),
    )
    app.upstream.fallback(() => json(chatResponse()))
    // Bytes still on their way have arrived when later requests have a response.
    for (let later = 0; later < 10; later++) await client.chat.completions.create(hello)
    const holds = () => app.app.store.db.selectFrom('holds').select('request_id').where('user_id', '=', user.id).execute()
    await until(async () => (await holds()).length === 0)
    expect(await app.inconsistencies()).toEqual([])
  })

  test('that upstream sends as JSON still reaches the client as a stream', async () => {
    const { client } = await scene([json(chatResponse('All at once'))])
    const words: string[] = []
    for await (const chunk of await client.chat.completions.create({ ...hello, stream: true }))
      words.push(chunk.choices[0]?.delta.content ?? '')
    expect(words.join('')).toBe('All at once')
  })

  test('stops when the balance does not have the next part of it', async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups: group, quota: 2_000 })
    const token = await app.make.token(user)
    await app.make.channel({ groups: group })
    app.upstream.script(
      events(
        [chatChunk({ content: '' }), ...Array.from({ length: 600 }, () => chatChunk({ content: 'word '.repeat(40) }))],
        [{ do: 'hang' }],
      ),
    )
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    expect(await response.text()).toContain('insufficient_user_quota')
    const [row] = await logsOf(user)
    expect(row?.end_reason).toBe('out_of_quota')
    expect(await balanceOf(user)).toBe(2_000 - (row?.quota ?? 0))
  })
})

describe('failover', () => {
  test('if a channel fails before anything reached the client, the next one is tried, and the request is charged once', async () => {
    const { client, user, ids } = await scene([json({ error: { message: 'broken' } }, 500)], [json(chatResponse())])
    await client.chat.completions.create(hello)
    const rows = await logsOf(user)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ attempts: 2, channel: ids[1] })
  })

  for (const [name, script] of [
    ['a refused key', json({ error: { message: 'bad key', code: 'invalid_api_key' } }, 401)],
    ['a rate limit', json({ error: { message: 'slow down' } }, 429)],
    ['an unknown model', json({ error: { message: 'no such model', code: 'model_not_found' } }, 404)],
    ['an error inside a 200', json({ error: { message: 'oh' } })],
    [
      'something that is not JSON',
      [
        { do: 'head', status: 200, headers: { 'content-type': 'application/json' } },
        { do: 'send', bytes: '<html>' },
      ],
    ],
    ['a redirect', [{ do: 'head', status: 302, headers: { location: 'http://127.0.0.1:1/' } }]],
    ['a reset', [{ do: 'cut' }]],
  ] as ReadonlyArray<readonly [string, Script]>) {
    test(`${name} is tried elsewhere`, async () => {
      const { client } = await scene([script], [json(chatResponse('From the second'))])
      expect((await client.chat.completions.create(hello)).choices[0]?.message.content).toBe('From the second')
    })
  }

  const usageAlone = { id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 9, completion_tokens: 0 } }
  test.each<[string, Script]>([
    ['only its end', events(['[DONE]'])],
    ['comments and its end', [...events([]), { do: 'send', bytes: ': hello\n\n: still here\n\ndata: [DONE]\n\n' }]],
    ['only a count', events([usageAlone, '[DONE]'])],
    ['a chunk without choices', events([{ ...usageAlone, usage: null }, '[DONE]'])],
    ['what is no answer', events([{}, 'null', '[DONE]'])],
    ['nothing', events([])],
  ])('a stream that has %s is not a response: another channel is tried, and it costs nothing', async (_, empty) => {
    const { user, token } = await scene([empty], [chatStream(['Hello'], { promptTokens: 10, completionTokens: 1 })])
    const ask = () =>
      app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${token.key}` },
        body: JSON.stringify({ ...hello, stream: true }),
      })
    const text = await (await ask()).text()
    expect(text).toContain('Hello')
    expect(text.match(/\[DONE\]/g)).toHaveLength(1)
    expect((await logsOf(user)).map(({ attempts, completion_tokens }) => [attempts, completion_tokens])).toEqual([[2, 1]])
  })

  test('a stream that has only its end is an error that costs nothing if there is no other channel', async () => {
    const { user, token } = await scene([events(['[DONE]'])])
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ ...hello, stream: true }),
    })
    expect(response.status).toBe(502)
    expect((await logsOf(user)).map(({ quota, end_reason }) => [quota, end_reason])).toEqual([[0, 'failed']])
  })

  test('a stream whose first event is an error is tried elsewhere', async () => {
    const { client } = await scene([events([{ error: { message: 'overloaded', type: 'server_error' } }])], [chatStream(['ok'])])
    const words: string[] = []
    for await (const chunk of await client.chat.completions.create({ ...hello, stream: true }))
      words.push(chunk.choices[0]?.delta.content ?? '')
    expect(words.join('')).toBe('ok')
  })

  test('a request that is refused as invalid is sent once and not retried', async () => {
    const { client, user } = await scene(
      [json({ error: { message: 'temperature is too high', type: 'invalid_request_error', param: 'temperature', code: null } }, 400)],
      [],
    )
    const before = app.upstream.received.length
    const error = await client.chat.completions.create(hello).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ status: 400, param: 'temperature' })
    expect(String(error)).toContain('temperature is too high')
    expect(app.upstream.received.length - before).toBe(1)
    expect((await logsOf(user))[0]).toMatchObject({ quota: 0, end_reason: 'failed' })
    expect(await balanceOf(user)).toBe(1_000_000)
  })

  test('an upstream 401 is never sent to the client as a 401, and its key is not shown', async () => {
    const { client } = await scene([json({ error: { message: 'Incorrect API key provided: upstream-key' } }, 401)])
    const error = await client.chat.completions.create(hello).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ status: 502, code: 'channel_auth_failed' })
    expect(String(error)).not.toContain('upstream-key')
  })

  test('if every channel fails, the client gets one error and no charge', async () => {
    const { client, user } = await scene([json({}, 503)], [json({}, 503)])
    expect(await errorOf(client.chat.completions.create(hello))).toMatchObject({ status: 502, code: 'upstream_failed' })
    expect(await balanceOf(user)).toBe(1_000_000)
    expect(await logsOf(user)).toHaveLength(1)
  })
})

describe('admission', () => {
  const chat = (key: string, body: unknown = hello, headers: Readonly<Record<string, string>> = {}) =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const refusal = async (response: Response) => {
    const body = (await response.json()) as { error: { code: string; message: string; type: string; param: unknown } }
    expect(body.error.message).not.toBe('')
    return [response.status, body.error.code]
  }

  test('a missing, malformed, unknown, disabled, expired or exhausted token is refused', async () => {
    const { user } = await scene()
    expect(await refusal(await app.request('/v1/chat/completions', { method: 'POST', body: '{}' }))).toEqual([401, 'token_missing'])
    expect(await refusal(await chat("sk-' OR 1=1 --"))).toEqual([401, 'token_invalid'])
    expect(await refusal(await chat(`sk-${'x'.repeat(48)}`))).toEqual([401, 'token_invalid'])
    expect(await refusal(await chat((await app.make.token(user, { status: 2 })).key))).toEqual([401, 'token_disabled'])
    expect(await refusal(await chat((await app.make.token(user, { expiredTime: 1000 })).key))).toEqual([401, 'token_expired'])
    expect(await refusal(await chat((await app.make.token(user, { status: 4 })).key))).toEqual([403, 'token_exhausted'])
  })

  test('an expired token is marked as expired in its row', async () => {
    const { user } = await scene()
    const token = await app.make.token(user, { expiredTime: 1000 })
    await chat(token.key)
    expect((await app.data(contract.token.get, { id: token.id }, user)).status).toBe(3)
  })

  test('a token works from its subnets only', async () => {
    const { user } = await scene([json(chatResponse())])
    expect(await refusal(await chat((await app.make.token(user, { subnet: '10.0.0.0/8,2001:db8::/32' })).key))).toEqual([
      403,
      'subnet_forbidden',
    ])
    expect((await chat((await app.make.token(user, { subnet: '127.0.0.0/8' })).key)).status).toBe(200)
  })

  test('a token works for its models only', async () => {
    const { user } = await scene()
    expect(await refusal(await chat((await app.make.token(user, { models: 'gpt-4o,o3' })).key))).toEqual([403, 'model_forbidden'])
  })

  test('an account or token without quota is refused before anything is sent, with a header against retries', async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`
    await app.make.channel({ groups: group })
    const poor = await app.make.user({ groups: group, quota: 0 })
    const response = await chat((await app.make.token(poor)).key)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await refusal(response)).toEqual([403, 'insufficient_user_quota'])
    const rich = await app.make.user({ groups: group })
    expect(await refusal(await chat((await app.make.token(rich, { remain: 1 })).key))).toEqual([403, 'insufficient_token_quota'])
  })

  test('several responses to one prompt are reserved several times', async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`
    await app.make.channel({ groups: group })
    const { key } = await app.make.token(await app.make.user({ groups: group, quota: 5_000 }))
    const question = { ...hello, max_tokens: 1_000 }
    expect((await chat(key, question)).status).toBe(200)
    expect(await refusal(await chat(key, { ...question, n: 100 }))).toEqual([403, 'insufficient_user_quota'])
    for (const n of [0, -1, 1.5, 129, '2']) expect(await refusal(await chat(key, { ...question, n }))).toEqual([400, 'invalid_parameter'])
  })

  test('a token that is disabled, deleted or of a banned user is refused at the next request', async () => {
    const { user, token } = await scene([json(chatResponse()), json(chatResponse())])
    expect((await chat(token.key)).status).toBe(200)
    await app.data(contract.token.setStatus, { id: token.id, status: 2 }, user)
    expect(await refusal(await chat(token.key))).toEqual([401, 'token_disabled'])
    await app.data(contract.token.setStatus, { id: token.id, status: 1 }, user)
    expect((await chat(token.key)).status).toBe(200)
    await app.data(contract.token.remove, { id: token.id }, user)
    expect(await refusal(await chat(token.key))).toEqual([401, 'token_invalid'])
  })

  test('an unknown model, one without a channel left, and one without a price have different errors', async () => {
    const { token, ids, group } = await scene([])
    expect(await refusal(await chat(token.key, { ...hello, model: 'no-such-model' }))).toEqual([404, 'model_not_found'])
    expect(await refusal(await chat(token.key, { ...hello, model: 'bad name\n' }))).toEqual([404, 'model_not_found'])
    await app.data(contract.channel.update, { id: ids[0] ?? 0, status: 2 })
    expect(await refusal(await chat(token.key))).toEqual([503, 'no_channel'])
    await app.make.channel({ groups: group, models: 'house-model' })
    expect(await refusal(await chat(token.key, { ...hello, model: 'house-model' }))).toEqual([503, 'model_price_not_set'])
  })

  test('bodies that are not a chat are refused and cost nothing', async () => {
    const { token, user } = await scene([])
    expect(await refusal(await chat(token.key, '{"model":'))).toEqual([400, 'invalid_json'])
    expect(await refusal(await chat(token.key, ''))).toEqual([400, 'invalid_json'])
    expect(await refusal(await chat(token.key, `${'['.repeat(200_000)}`))).toEqual([400, 'invalid_json'])
    expect(await refusal(await chat(token.key, '[]'))).toEqual([400, 'invalid_parameter'])
    expect(await refusal(await chat(token.key, { ...hello, model: 7 }))).toEqual([400, 'model_required'])
    expect(await refusal(await chat(token.key, { model: 'gpt-4o-mini' }))).toEqual([400, 'messages_required'])
    expect(await refusal(await chat(token.key, { ...hello, messages: ['hi'] }))).toEqual([400, 'messages_required'])
    expect(await refusal(await chat(token.key, { ...hello, stream: 'yes' }))).toEqual([400, 'stream_invalid'])
    expect(await refusal(await chat(token.key, { ...hello, max_tokens: -2 }))).toEqual([400, 'max_tokens_invalid'])
    expect(await refusal(await chat(token.key, { ...hello, max_tokens: 1.5 }))).toEqual([400, 'max_tokens_invalid'])
    const broken = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token.key}` },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    })
    expect(await refusal(broken)).toEqual([400, 'invalid_text'])
    expect(await refusal(await chat(token.key, hello, { 'content-encoding': 'gzip' }))).toEqual([400, 'encoding_invalid'])
    expect(await logsOf(user)).toEqual([])
    expect(await balanceOf(user)).toBe(1_000_000)
  })

  test('__proto__ in a body is data, not a prototype', async () => {
    const { token } = await scene([])
    const response = await chat(token.key, `{"__proto__":{"polluted":true},${JSON.stringify(hello).slice(1)}`)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: '__proto__' } }])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('unknown paths are a 404 with an OpenAI error object', async () => {
    expect(await refusal(await app.request('/v1/nonsense'))).toEqual([404, 'unknown_url'])
    expect(await refusal(await app.request('/v1'))).toEqual([404, 'unknown_url'])
  })

  test('a page of any origin may call with a token, without credentials of the browser', async () => {
    const response = await app.request('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('models', () => {
  test('the list has the models that the groups of the account and the token allow', async () => {
    const { user, group, client } = await scene([])
    await app.make.channel({ groups: group, models: 'o3,gpt-4o,vendor/model' })
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toEqual(['gpt-4o', 'gpt-4o-mini', 'o3', 'vendor/model'])
    const limited = new OpenAI({ apiKey: (await app.make.token(user, { models: 'o3' })).key, baseURL: `${app.url}/v1`, maxRetries: 0 })
    expect((await limited.models.list()).data.map(({ id }) => id)).toEqual(['o3'])
    expect((await client.models.retrieve('vendor/model')).id).toBe('vendor/model')
    expect(await errorOf(client.models.retrieve('gpt-4'))).toMatchObject({ status: 404, code: 'model_not_found' })
  })
})

describe('a channel with Anthropic’s dialect', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'Bonjour' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 0 },
  }

  async function claude(...scripts: Script[]) {
    const setup = await scene()
    await app.make.channel({ groups: setup.group, type: 14, models: 'claude-sonnet-4-5', key: 'sk-ant-1' })
    app.upstream.script(...scripts)
    return setup
  }

  test('responds to an OpenAI client, and its cached tokens cost their own price', async () => {
    const { client, user } = await claude(json(message))
    const response = await client.chat.completions.create({ ...hello, model: 'claude-sonnet-4-5' })
    expect(response.choices[0]).toMatchObject({ message: { content: 'Bonjour' }, finish_reason: 'stop' })
    expect(response.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 5 })
    const got = app.upstream.received.at(-1)
    expect(got?.path).toBe('/v1/messages')
    expect(got?.headers).toMatchObject({ 'x-api-key': 'sk-ant-1', 'anthropic-version': '2023-06-01' })
    // 1.5 per token: 10 at the full price, 90 at a tenth, 5 at five times.
    expect((await logsOf(user))[0]).toMatchObject({ quota: Math.ceil(10 * 1.5 + 90 * 0.15 + 5 * 7.5), cached_tokens: 90 })
  })

  test('streams text, a tool call and usage to an OpenAI client', async () => {
    const { client } = await claude(
      events([
        { type: 'message_start', message: { ...message, content: [], usage: { input_tokens: 10, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'ping' },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me look.' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} } },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Paris"}' } },
        { type: 'content_block_stop', index: 1 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ]),
    )
    const tools = [
      {
        type: 'function' as const,
        function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    ]
    const stream = client.chat.completions.stream({ ...hello, model: 'claude-sonnet-4-5', tools, stream_options: { include_usage: true } })
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe('Let me look.')
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: 'toolu_1',
      function: { name: 'weather', arguments: '{"city":"Paris"}' },
    })
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    expect(final.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 20 })
  })

  test('overloaded as the first event of a stream is tried on the next channel', async () => {
    const setup = await claude(events([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]), json(message))
    await app.make.channel({ groups: setup.group, type: 14, models: 'claude-sonnet-4-5', priority: -1 })
    const response = await setup.client.chat.completions.create({ ...hello, model: 'claude-sonnet-4-5' }).catch((error: unknown) => error)
    expect(response).toMatchObject({ choices: [{ message: { content: 'Bonjour' } }] })
  })

  test('its errors are OpenAI error objects', async () => {
    const { client } = await claude(
      json({ type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens is too large' } }, 400),
    )
    expect(await errorOf(client.chat.completions.create({ ...hello, model: 'claude-sonnet-4-5' }))).toMatchObject({ status: 400 })
  })
})

test('Anthropic’s own client gets a message that its route is not served', async () => {
  const { token } = await scene()
  const client = new Anthropic({ apiKey: null, authToken: token.key, baseURL: app.url, maxRetries: 0 })
  const error = await client.messages
    .create({ model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] })
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(Anthropic.NotFoundError)
})

describe('a test of a channel', () => {
  test('returns duration and model, stores them in the channel and charges no account', async () => {
    const { ids } = await scene([json(chatResponse())])
    const before = await balanceOf(app.root)
    const response = (await (
      await app.request(`/api/channel/test/${ids[0]}?model=gpt-4o-mini`, { headers: app.root.headers })
    ).json()) as Record<string, unknown>
    expect(response).toMatchObject({ success: true, model: 'gpt-4o-mini' })
    expect(response['time']).toBeGreaterThan(0)
    expect((await app.data(contract.channel.get, { id: ids[0] ?? 0 })).response_time).toBeGreaterThan(0)
    expect(await balanceOf(app.root)).toBe(before)
  })

  test('that fails says why', async () => {
    const { ids } = await scene([json({ error: { message: 'this key is bad' } }, 401)])
    expect(await app.call(contract.channel.test, { id: ids[0] ?? 0 })).toMatchObject({ success: false })
  })
})
