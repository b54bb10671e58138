import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contextOf, isSampled } from '../src/telemetry/trace-context.ts'
import { type TestApp, testApp } from './app.ts'
import { type FakeCollector, startFakeCollector } from './fake-collector.ts'
import { chatResponse, chatStream, json } from './fake-upstream.ts'
import { metricsToken, scrape, total } from './scrape.ts'
import { until } from './server-process.ts'

let collector: FakeCollector
let app: TestApp
let key: string

beforeEach(async () => {
  collector = await startFakeCollector()
})
afterEach(() => collector.close())

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  app = await testApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, METRICS_TOKEN: metricsToken, ...env } })
  key = (await app.make.token(await app.make.user())).key
  await app.make.channel({ models: 'gpt-4o-mini', mapping: { 'gpt-4o-mini': 'gpt-4o' }, key: 'canary-channel-key' })
}

const chat = (fields: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  app.request('/v1/chat/completions?trace=canary-query', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'canary-prompt' }], ...fields }),
  })

test('a request is a span in the trace of its client, with a child span for each attempt', async () => {
  await start({ OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two', OTEL_SERVICE_NAME: 'our gateway' })
  const broken = await app.make.channel({ models: 'gpt-4o-mini', priority: 1 })
  app.upstream.script(json({ error: { message: 'canary-words' } }, 503), json(chatResponse('canary-answer')))
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const response = await chat({}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  const requestId = response.headers.get('x-request-id')
  await app.close()

  const [request] = collector.requests
  expect(request?.path).toBe('/v1/traces')
  expect(request?.headers).toMatchObject({ 'x-tenant': 'one two', 'content-type': 'application/json' })
  expect(request?.body).toContain('"key":"service.name","value":{"stringValue":"our gateway"}')
  const [first, second, whole] = collector.spans
  expect(collector.spans).toHaveLength(3)
  expect(whole).toMatchObject({ name: 'chat gpt-4o-mini', kind: 2, traceId, parentSpanId: '00f067aa0ba902b7', isError: false })
  expect(whole?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'url.path': '/v1/chat/completions',
    'http.response.status_code': 200,
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'sluice.request.id': requestId ?? '',
    'sluice.attempts': 2,
    'sluice.outcome': 'complete',
  })
  expect(first).toMatchObject({ name: 'chat gpt-4o-mini', kind: 3, traceId, parentSpanId: whole?.spanId ?? '', isError: true })
  expect(first?.attributes).toMatchObject({ 'error.type': 'unavailable', 'http.response.status_code': 503, 'sluice.channel.id': broken })
  expect(second).toMatchObject({ name: 'chat gpt-4o', kind: 3, traceId, parentSpanId: whole?.spanId ?? '', isError: false })
  expect(second?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'server.address': '127.0.0.1' })
  expect((first?.startMs ?? 0) >= (whole?.startMs ?? 0) && (second?.endMs ?? 0) <= (whole?.endMs ?? 0)).toBe(true)
  expect(Math.abs((whole?.endMs ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('spans contain no prompt, output, key or name of a person, and the trace is not sent to vendors (I10)', async () => {
  await start()
  app.upstream.script(json({ error: { message: 'canary-words canary-prompt canary-channel-key' } }, 401), chatStream(['canary-answer']))
  await (await chat({}, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'canary=state' })).text()
  await (await chat({ stream: true, user: 'canary-user' })).text()
  const upstream = JSON.stringify(app.upstream.received.map(({ headers }) => headers))
  await app.close()
  expect(upstream).not.toContain('trace')
  expect(collector.spans).toHaveLength(4)
  const spansText = collector.requests.map(({ body }) => body).join()
  expect(['canary', key.slice(3), 'user1', 'root'].filter((secret) => spansText.includes(secret))).toEqual([])
})

test('the span of an attempt lasts until the end of its stream, and a refused request has a span too', async () => {
  await start()
  app.upstream.script(chatStream(['one', 'two']))
  await (await chat({ stream: true })).text()
  await chat({ model: 'nobody-has-it' })
  await app.close()
  const [attempt, whole, refused] = collector.spans
  expect(attempt?.endMs).toBe(whole?.endMs ?? 0)
  expect(whole?.attributes['sluice.time_to_first_token']).toBeGreaterThan(0)
  expect(refused).toMatchObject({ name: 'POST', isError: false, parentSpanId: undefined })
  expect(refused?.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'model_not_found' })
})

test('spans are sent again to a busy collector, and not for ever to one that refuses them', async () => {
  await start()
  collector.response(503)
  for (let count = 0; count < 130; count += 1) await chat()
  await app.close()
  const before = collector.spans.length
  expect(before).toBe(260)
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(before)
  const [first = [], second = []] = collector.requests.map(({ body }) => idsIn(body))
  // A slow machine sends the first batch before it is full.
  expect(first).not.toEqual([])
  expect(second.slice(0, first.length)).toEqual([...first])
})

/** The ids of the spans in a request to the collector, in order. */
const idsIn = (body: string): readonly string[] => [...body.matchAll(/"spanId":"([^"]*)"/g)].map(([, id = '']) => id)

test('no request waits for a collector that is silent or unreachable, and lost spans are counted', async () => {
  await start()
  collector.response(400)
  for (let count = 0; count < 128; count += 1) expect((await chat()).status).toBe(200)
  let series = await scrape(app)
  await until(async () => {
    series = await scrape(app)
    return total(series, 'sluice_spans_dropped_total') >= 256
  })
  expect(total(series, 'sluice_spans_dropped_total')).toBe(256)
  expect(total(series, 'sluice_spans_sent_total')).toBe(0)
  collector.response(0)
  for (let count = 0; count < 128; count += 1) expect((await chat()).status).toBe(200)
  const startedMs = performance.now()
  await app.close()
  // The timeout of the collector is five seconds while the server runs, and two when it stops.
  expect(performance.now() - startedMs).toBeLessThan(4_900)
})

test('only the configured share of traces is sent, and none without a collector', async () => {
  await start({ OTEL_TRACES_SAMPLER_ARG: '0' })
  await chat({}, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' })
  await app.close()
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })
  await chat()
  expect((await scrape(app)).filter(({ name }) => name.includes('spans'))).toEqual([])
  await app.close()
  expect(collector.requests).toEqual([])
  const ids = Array.from({ length: 2_000 }, () => contextOf(null).traceId)
  const share = ids.filter((id) => isSampled(id, 0.25)).length / ids.length
  expect(share).toBeGreaterThan(0.2)
  expect(share).toBeLessThan(0.3)
  expect(ids.every((id) => isSampled(id, 1) && !isSampled(id, 0))).toBe(true)
})

test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', true],
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-adds', true],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', false],
  ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
  ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', false],
  ['nonsense', false],
  ['', false],
])('the header %p continues a trace: %p', (header, goesOn) => {
  const { traceId, parentSpanId } = contextOf(header)
  expect(traceId === '4bf92f3577b34da6a3ce929d0e0e4736').toBe(goesOn)
  expect(parentSpanId).toBe(goesOn ? '00f067aa0ba902b7' : '')
  expect(traceId).toMatch(/^[0-9a-f]{32}$/)
})
