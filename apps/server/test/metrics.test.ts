import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { exposition } from '../src/telemetry/exposition.ts'
import { relayFamilies } from '../src/telemetry/relay-families.ts'
import { createRelayFigures } from '../src/telemetry/relay-figures.ts'
import { nobody, type TestApp, type TestUser, testApp } from './app.ts'
import { chatChunk, chatResponse, chatStream, events, json } from './fake-upstream.ts'
import { metricsToken, type Series, scrape, total } from './scrape.ts'
import { until } from './server-process.ts'

let app: TestApp
let ann: TestUser
let token: string
beforeAll(async () => {
  app = await testApp({ env: { METRICS_TOKEN: metricsToken, RATE_LIMITS: 'search=1/60' } })
  ann = await app.make.user()
  token = (await app.make.token(ann)).key
})
afterAll(() => app.close())

const chat = (model: string, fields: object = {}, key = token): Promise<Response> =>
  app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'canary-prompt' }], ...fields }),
  })

/** How much each series of a scrape grew during an action. */
async function growth(act: () => Promise<unknown>): Promise<(name: string, labels?: Readonly<Record<string, string>>) => number> {
  const before = await scrape(app)
  await act()
  const after = await scrape(app)
  return (name, labels) => total(after, name, labels) - total(before, name, labels)
}

test('metrics are served only with the token', async () => {
  const authorizations = ['', 'Bearer wrong', 'Bearer', metricsToken, `Basic ${metricsToken}`, `Bearer ${token}`, `Bearer ${metricsToken}x`]
  for (const authorization of authorizations) {
    const refused = await app.request('/metrics', { headers: { authorization } })
    expect({ authorization, status: refused.status }).toEqual({ authorization, status: 401 })
    expect(await refused.text()).not.toContain('sluice_')
  }
  expect((await app.request('/metrics', { headers: app.root.headers })).status).toBe(401)
  expect((await app.request(`/metrics?token=${metricsToken}`)).status).toBe(401)
  const response = await app.request('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('without a configured token the page does not exist, whatever token is sent', async () => {
  const plain = await testApp()
  try {
    for (const authorization of ['', 'Bearer ', 'Bearer undefined'])
      expect((await plain.request('/metrics', { headers: { authorization } })).status).toBe(404)
  } finally {
    await plain.close()
  }
})

test('a response is counted as a request, with its tokens, quota and duration', async () => {
  const channel = String(await app.make.channel({ models: 'gpt-4o-mini' }))
  const grown = await growth(async () => {
    for (let count = 0; count < 3; count += 1) expect((await chat('gpt-4o-mini')).status).toBe(200)
  })
  const cell = { kind: 'chat', model: 'gpt-4o-mini', channel }
  expect(grown('sluice_requests_total', { ...cell, outcome: 'complete', status: '2xx' })).toBe(3)
  expect(grown('sluice_requests_total')).toBe(3)
  expect(grown('sluice_tokens_total', { ...cell, class: 'prompt' })).toBe(30)
  expect(grown('sluice_tokens_total', { ...cell, class: 'completion' })).toBe(15)
  expect(grown('sluice_attempts_total', { channel, result: 'answered' })).toBe(3)
  expect(grown('sluice_request_duration_seconds_count', { kind: 'chat', model: 'gpt-4o-mini' })).toBe(3)
  expect(grown('sluice_time_to_first_token_seconds_count')).toBe(0)
  expect(grown('sluice_ledger_batch_operations_sum')).toBe(6)
})

test('each kind of call is counted as its kind, and free calls as completed', async () => {
  await app.make.channel({ models: 'text-embedding-3-small' })
  const vectors = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  }
  app.upstream.script(json(vectors))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const grown = await growth(async () => {
    const body = JSON.stringify({ model: 'text-embedding-3-small', input: 'hi' })
    expect((await app.request('/v1/embeddings', { method: 'POST', headers, body })).status).toBe(200)
    expect((await app.request('/v1/models', { headers })).status).toBe(200)
  })
  expect(grown('sluice_tokens_total', { kind: 'embeddings', model: 'text-embedding-3-small', class: 'prompt' })).toBe(7)
  expect(grown('sluice_requests_total', { kind: 'embeddings', outcome: 'complete' })).toBe(1)
  expect(grown('sluice_requests_total', { kind: 'other', model: 'other', channel: 'none', outcome: 'answered' })).toBe(1)
})

test('a stream counts as open while it runs, and the time to its first byte is measured', async () => {
  await app.make.channel({ models: 'gpt-4o' })
  const words = [chatChunk({ content: 'one' })]
  app.upstream.script(events(words, [{ do: 'wait', name: 'the rest' }, ...chatStream(['two']).slice(1)]))
  const before = await scrape(app)
  const response = await chat('gpt-4o', { stream: true })
  const reader = response.body?.getReader()
  await reader?.read()
  const during = await scrape(app)
  expect(total(during, 'sluice_streams_open')).toBe(1)
  expect(total(during, 'sluice_requests_in_flight')).toBe(1)
  expect(total(during, 'sluice_ledger_holds_open')).toBe(1)
  app.upstream.release('the rest')
  while ((await reader?.read())?.done === false);
  const after = await scrape(app)
  for (const name of ['sluice_streams_open', 'sluice_requests_in_flight', 'sluice_ledger_holds_open']) expect(total(after, name)).toBe(0)
  const grown = (name: string): number => total(after, name) - total(before, name)
  expect(grown('sluice_time_to_first_token_seconds_count')).toBe(1)
  expect(grown('sluice_request_duration_seconds_count')).toBe(1)
})

test('a stream that its client leaves is counted once', async () => {
  await app.make.channel({ models: 'gpt-4' })
  app.upstream.script(events([chatChunk({ content: 'one' })], [{ do: 'hang' }]))
  const leaving = new AbortController()
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: 'gpt-4', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    signal: leaving.signal,
  })
  await response.body?.getReader().read()
  leaving.abort()
  await app.upstream.received.at(-1)?.aborted
  let series = await scrape(app)
  const left = (): number => total(series, 'sluice_requests_total', { model: 'gpt-4', outcome: 'client_gone', status: '2xx' })
  // The delivered part is counted exactly first, which may have to load the tokenizer.
  await until(async () => {
    series = await scrape(app)
    return left() > 0
  })
  expect(left()).toBe(1)
  expect(total(series, 'sluice_streams_open')).toBe(0)
  expect(total(series, 'sluice_requests_in_flight')).toBe(0)
})

test('a failed attempt is counted for its channel, and the next one as a retry', async () => {
  const broken = String(await app.make.channel({ models: 'o3', priority: 1 }))
  const good = String(await app.make.channel({ models: 'o3' }))
  app.upstream.script(json({ error: { message: 'down' } }, 503), json(chatResponse()))
  const grown = await growth(() => chat('o3'))
  expect(grown('sluice_attempts_total', { channel: broken, result: 'unavailable' })).toBe(1)
  expect(grown('sluice_attempts_total', { channel: good, result: 'answered' })).toBe(1)
  expect(grown('sluice_retries_total')).toBe(1)
  expect(grown('sluice_requests_total', { model: 'o3', channel: good, outcome: 'complete' })).toBe(1)
})

test('a response with impossible counts is counted for its channel', async () => {
  const channel = String(await app.make.channel({ models: 'o3-mini' }))
  app.upstream.script(json(chatResponse('Hello', { prompt_tokens: -1, completion_tokens: 2 })), json(chatResponse()))
  const grown = await growth(async () => {
    for (let count = 0; count < 2; count += 1) expect((await chat('o3-mini')).status).toBe(200)
  })
  expect(grown('sluice_usage_suspect_total')).toBe(1)
  expect(grown('sluice_usage_suspect_total', { channel })).toBe(1)
})

test('the pause that a vendor requested is shown with its remaining time', async () => {
  const channel = String(await app.make.channel({ models: 'o4-mini' }))
  app.upstream.script(json({ error: { message: 'slow down' } }, 429, { 'retry-after': '30' }))
  await chat('o4-mini')
  const series = await scrape(app)
  const rest = series.find((one) => one.name === 'sluice_channel_rest_seconds' && one.labels['channel'] === channel)
  expect(rest?.labels['state']).toBe('cooling')
  expect(rest?.value).toBeGreaterThan(25)
  expect(rest?.value).toBeLessThanOrEqual(30)
  expect(series.find((one) => one.name === 'sluice_channel_requests_in_flight' && one.labels['channel'] === channel)?.value).toBe(0)
})

test('a request that no channel responds to is counted as failed, with the code that its client got', async () => {
  await app.make.channel({ models: 'o1' })
  app.upstream.script(json({ error: { message: 'no such thing' } }, 400))
  const grown = await growth(() => chat('o1'))
  expect(grown('sluice_requests_total', { model: 'o1', outcome: 'failed', status: '4xx' })).toBe(1)
  expect(grown('sluice_request_errors_total', { code: 'upstream_failed' })).toBe(1)
  expect(grown('sluice_quota_charged_total')).toBe(0)
})

test('a refused request is counted as refused, and an unknown model gets no label of its own', async () => {
  const poor = await app.make.token(await app.make.user({ quota: 0 }))
  await app.make.channel({ models: 'gpt-4o' })
  const before = await scrape(app)
  const grown = await growth(async () => {
    for (let count = 0; count < 5; count += 1) await chat(`invented-${count}`)
    await chat('gpt-4o', {}, 'sk-nobody')
    await chat('gpt-4o', {}, poor.key)
  })
  expect(grown('sluice_requests_total', { model: 'other', outcome: 'refused', status: '4xx' })).toBe(6)
  expect(grown('sluice_requests_total', { model: 'gpt-4o', outcome: 'refused', status: '4xx' })).toBe(1)
  expect(grown('sluice_request_errors_total', { code: 'model_not_found' })).toBe(5)
  expect(grown('sluice_request_errors_total', { code: 'token_invalid' })).toBe(1)
  expect(grown('sluice_request_errors_total', { code: 'insufficient_user_quota' })).toBe(1)
  const models = (series: readonly Series[]): number => new Set(series.map(({ labels }) => labels['model'])).size
  expect(models(await scrape(app))).toBeLessThanOrEqual(models(before) + 2)
})

test('the charged quota in the metrics equals that in the ledger', async () => {
  const charged = async (): Promise<number> => {
    const sum = app.app.store.db.selectFrom('users').select(({ fn }) => fn.sum<number>('used_quota').as('charged'))
    return Number((await sum.executeTakeFirstOrThrow()).charged)
  }
  const before = await charged()
  await app.make.channel({ models: 'gpt-4o' })
  app.upstream.script(chatStream(['some', ' words']))
  await (await chat('gpt-4o', { stream: true })).text()
  await chat('gpt-4o')
  // Input tokens at 1.25 and output tokens at 5: 10 and 2, then 10 and 5.
  expect((await charged()) - before).toBe(23 + 38)
  expect(total(await scrape(app), 'sluice_quota_charged_total')).toBe(await charged())
  expect(await app.inconsistencies()).toEqual([])
})

test('the buckets of each histogram rise to its count', async () => {
  const series = await scrape(app)
  const histograms = Map.groupBy(
    series.filter(({ name }) => name.endsWith('_bucket')),
    ({ name, labels: { le: _, ...rest } }) => `${name} ${JSON.stringify(rest)}`,
  )
  expect(histograms.size).toBeGreaterThan(5)
  for (const buckets of histograms.values()) {
    const [
      {
        name,
        labels: { le: _, ...labels },
      } = { name: '', labels: {} as Record<string, string> },
    ] = buckets
    const counts = buckets.map(({ value }) => value)
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(buckets.at(-1)?.labels['le']).toBe('+Inf')
    expect(counts.at(-1)).toBe(total(series, name.replace(/_bucket$/, '_count'), labels))
  }
})

test('the name of a channel is escaped, whatever characters it has', async () => {
  const name = 'a "name" with \\ and {braces}, é'
  const id = await app.make.channel({ models: 'gpt-3.5-turbo' })
  await app.data(contract.channel.update, { id, name })
  await chat('gpt-3.5-turbo')
  const info = (await scrape(app)).filter((one) => one.name === 'sluice_channel_info' && one.labels['channel'] === String(id))
  expect(info).toMatchObject([{ labels: { name, vendor: 'OpenAI' }, value: 1 }])
})

test('calls of the management API are counted by status and code, refusals by rate limits by class', async () => {
  const grown = await growth(async () => {
    await app.call(contract.token.list, {}, ann)
    await app.call(contract.token.list, {}, nobody)
    await app.call(contract.channel.list, {}, ann)
    for (let count = 0; count < 2; count += 1) await app.call(contract.token.search, { keyword: '' }, ann)
  })
  expect(grown('sluice_api_requests_total', { status: '200', code: '' })).toBe(2)
  expect(grown('sluice_api_requests_total', { status: '401' })).toBe(1)
  expect(grown('sluice_api_requests_total', { status: '200', code: 'permission_denied' })).toBe(1)
  expect(grown('sluice_api_requests_total', { status: '429', code: 'rate_limited' })).toBe(1)
  expect(grown('sluice_rate_limited_total', { class: 'search' })).toBe(1)
})

test('there are metrics of the process and of the ledger', async () => {
  const series = await scrape(app)
  for (const name of ['cpu_seconds_total', 'resident_memory_bytes', 'heap_bytes', 'start_time_seconds', 'build_info', 'ledger_ready'])
    expect({ name, isAbove0: total(series, `sluice_${name}`) > 0 }).toEqual({ name, isAbove0: true })
  expect(total(series, 'sluice_event_loop_delay_seconds_count')).toBeGreaterThan(0)
})

test('the dashboard in the documentation uses existing metrics', async () => {
  const dashboard = readFileSync(join(import.meta.dir, '../../../docs/grafana-dashboard.json'), 'utf8')
  const text = await (await app.request('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  const metricNames = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
  const dashboardNames = [...dashboard.matchAll(/sluice_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))
  expect(dashboardNames.length).toBeGreaterThan(15)
  expect(dashboardNames.filter((name) => !metricNames.has(name))).toEqual([])
})

test('the page about observability lists exactly the existing metrics', async () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/observability.md'), 'utf8')
  const text = await (await app.request('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  const metricNames = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  const named = [...page.matchAll(/^\| (`sluice_.*?) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
  const fits = (pattern: string, name: string) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern)
  expect(metricNames.filter((name) => !named.some((pattern) => fits(pattern, name)))).toEqual([])
  // This server sends no traces.
  const ofTraces = ['sluice_spans_sent_total', 'sluice_spans_dropped_total']
  expect(named.filter((pattern) => !metricNames.some((name) => fits(pattern, name)))).toEqual(ofTraces)
})

test('metrics contain no secret, no prompt and no name of a person (I10)', async () => {
  await app.make.channel({ models: 'gpt-4o-mini', key: 'canary-channel-key' })
  app.upstream.fallback(() => json({ error: { message: 'bad key canary-channel-key', type: 'canary-prompt' } }, 401))
  await chat('gpt-4o-mini')
  const text = await (await app.request('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  const secrets = ['canary', token.slice(3), metricsToken, ann.username, 'root', app.upstream.url]
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})

test('with many models and channels a scrape is bounded, and does not block other work', async () => {
  const figures = createRelayFigures()
  for (let count = 0; count < 5_000; count += 1) {
    const span = {
      startedMs: 0,
      slot: -1,
      target: { kind: 'chat', model: `model-${count}` },
      channel: null,
      attempts: 0,
      attemptStartedMs: 0,
      firstByteMs: 0,
      isStreaming: false,
      isWaiting: false,
      status: 200,
      code: null,
      ended: { reason: 'complete' as const, usage: null, quota: 1 },
      isClosed: false,
      trace: null,
    }
    figures.closed(span, 1)
  }
  expect(figures.cells.length).toBe(2_001)
  expect(figures.models.length).toBe(201)
  expect(figures.cells.reduce((sum, { quota }) => sum + quota, 0)).toBe(5_000)
  expect(figures.cells.find(({ model }) => model === 'other')?.quota).toBe(3_000)
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 0)
  const text = await exposition(relayFamilies(figures))
  clearInterval(timer)
  expect(text.split('\n').length).toBeGreaterThan(5_000)
  // Other work ran meanwhile.
  expect(turns).toBeGreaterThan(2)
})
