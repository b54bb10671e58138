import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { TestApp } from '../app.ts'
import { json, type Script } from '../fake-upstream.ts'
import { citedBy, citedPage } from './cited-responses.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import { type ClientName, type Example, type RequestFeature, requestFeatures } from './protocol-examples.ts'
import { pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// What becomes of each feature between a client of a protocol and a vendor: seen from requests to a running gateway, whose vendor is a double.

/** What follows a colon is the reason. */
export type Cell = 'passed' | 'translated' | 'not offered' | `refused: ${string}`

interface ClientCalls {
  readonly name: ClientName
  readonly pathOf: (model: string, stream: boolean) => string
  readonly bodyOf: (model: string, stream: boolean) => JsonObject
  readonly countPath?: (model: string) => string
  /** Asks for reasoning in the response. */
  readonly thinking: JsonObject
}

const messages = [{ role: 'user', content: 'Hi' }]

const clients: readonly ClientCalls[] = [
  {
    name: 'OpenAI',
    pathOf: () => '/v1/chat/completions',
    bodyOf: (model, stream) => ({
      ...{ model, max_tokens: 8_000, messages },
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }),
    thinking: { reasoning_effort: 'high' },
  },
  {
    name: 'OpenAI, responses',
    pathOf: () => '/v1/responses',
    bodyOf: (model, stream) => ({ model, max_output_tokens: 8_000, input: messages, ...(stream ? { stream } : {}) }),
    thinking: { reasoning: { effort: 'high', summary: 'auto' } },
  },
  {
    name: 'Anthropic',
    pathOf: () => '/v1/messages',
    bodyOf: (model, stream) => ({ model, max_tokens: 8_000, messages, ...(stream ? { stream } : {}) }),
    countPath: () => '/v1/messages/count_tokens',
    thinking: { thinking: { type: 'enabled', budget_tokens: 4_096 } },
  },
  {
    name: 'Google',
    pathOf: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    bodyOf: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 8_000 } }),
    countPath: (model) => `/v1beta/models/${model}:countTokens`,
    thinking: { generationConfig: { maxOutputTokens: 8_000, thinkingConfig: { includeThoughts: true, thinkingBudget: 4_096 } } },
  },
]

/** A client with an account and a channel of its own. */
interface Pair {
  readonly app: TestApp
  readonly client: ClientCalls
  readonly double: VendorDouble
  readonly key: string
}

/** OpenAI's Responses API has a double of its own; OpenAI's other double serves chats. */
const responding = ({ name }: ClientCalls, double: VendorDouble): VendorDouble =>
  name === 'OpenAI, responses' && double.name === openaiDouble.name
    ? { ...responsesDouble, name: double.name, model: double.model }
    : double

async function pairOf(app: TestApp, client: ClientCalls, vendor: VendorDouble): Promise<Pair> {
  const double = responding(client, vendor)
  const { type, model: models, config, other } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key } = await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })
  await app.make.channel({
    ...{ groups, type, models, key: double.key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  return { app, client, double, key }
}

interface Exchange {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** What the vendor received; `null`: nothing. */
  readonly upstreamBody: string | null
}

async function exchange({ app, client, double, key }: Pair, extra: JsonObject | 'stream', script: Script): Promise<Exchange> {
  const stream = extra === 'stream'
  app.upstream.fallback(() => script)
  const before = app.upstream.received.length
  const response = await app.request(client.pathOf(double.model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...client.bodyOf(double.model, stream), ...(stream ? {} : extra) }),
  })
  const text = await response.text()
  const upstreamRequest = app.upstream.received.slice(before).findLast((request) => double.grant?.(request) == null)
  return { status: response.status, text, headers: response.headers, upstreamBody: upstreamRequest?.body ?? null }
}

const usage = { prompt: 100, completion: 20 }

/** Whether the client got what the vendor sent; the model may have the client's name. */
function isPassed({ double }: Pair, script: Script, text: string): boolean {
  const scriptText = Buffer.concat(script.map((step) => Buffer.from(step.do === 'send' ? step.bytes : ''))).toString('utf8')
  return text === scriptText || text === scriptText.replaceAll('"vendor-model"', JSON.stringify(double.model))
}

/** Where an error of each protocol names the parameter. */
const namings = [
  /"param":"([^"]+)"/,
  /"field":"([^"]+)"/,
  /Unsupported parameter: ([^\s"]+?)(?=[\s"]|\. )/,
  /\((\S+)\) (?:needs|is not supported)/,
]

/** The parameter that an error names. */
function reasonOf(text: string): string {
  const [reason] = namings.flatMap((naming) => naming.exec(text)?.[1] ?? [])
  if (reason === undefined) throw new Error(`an error without a parameter: ${text}`)
  return reason
}

/** Whether the gateway itself applies to a response what it did not request from the vendor. */
async function isDoneHere(pair: Pair, { body, endsBefore }: Example): Promise<boolean> {
  if (endsBefore === undefined) return false
  const { text } = await exchange(pair, body, pair.double.whole({ text: `So ${endsBefore} far`, usage }))
  return text.includes('So ') && !text.includes(' far')
}

async function cellOfExample(pair: Pair, example: Example): Promise<Cell> {
  const { body, mark, base = {} } = example
  // The content fits the example of structured output.
  const script = pair.double.whole({ text: '{"city":"Rio"}', usage })
  const { status, text, upstreamBody } = await exchange(pair, body, script)
  if (status !== 200) return `refused: ${reasonOf(text)}`
  if (upstreamBody === null) throw new Error('the vendor got nothing')
  const isSent = mark === undefined ? upstreamBody !== (await exchange(pair, base, script)).upstreamBody : upstreamBody.includes(mark)
  if (!isSent) return (await isDoneHere(pair, example)) ? 'translated' : 'not offered'
  const got = parseJson(upstreamBody)
  const isSame = isObject(got) && Object.entries(body).every(([name, value]) => JSON.stringify(got[name]) === JSON.stringify(value))
  return isSame ? 'passed' : 'translated'
}

/** From the best to the worst; then come refusals. */
const order: readonly Cell[] = ['passed', 'translated', 'not offered']
const rankOf = (cell: Cell): number => (order.includes(cell) ? order.indexOf(cell) : order.length)

/** The best of what becomes of the examples: a vendor takes back only its own reasoning. */
async function cellOfRequest(pair: Pair, feature: RequestFeature): Promise<Cell> {
  const cells: Cell[] = []
  for (const example of feature[pair.client.name] ?? []) cells.push(await cellOfExample(pair, example))
  return cells.toSorted((one, other) => rankOf(one) - rankOf(other))[0] ?? 'not offered'
}

const isLacking = ({ double }: Pair, feature: NonNullable<VendorDouble['lacks']>[number]): boolean =>
  double.lacks?.includes(feature) === true

interface Expected {
  readonly asking?: JsonObject
  readonly isThere: (text: string) => boolean
}

/** What becomes of something in a response of the vendor. */
async function cellOfResponse(pair: Pair, response: ScriptedResponse, { asking = {}, isThere }: Expected): Promise<Cell> {
  const script = pair.double.whole({ usage, ...response })
  const { status, text } = await exchange(pair, asking, script)
  if (status !== 200) return `refused: ${reasonOf(text)}`
  if (!isThere(text)) return 'not offered'
  return isPassed(pair, script, text) ? 'passed' : 'translated'
}

async function cellOfStream(pair: Pair): Promise<Cell> {
  if (isLacking(pair, 'stream')) return 'not offered'
  const response = { text: 'Grüße', usage }
  const { contentType, frames } = pair.double.stream(response)
  const script = isLacking(pair, 'events') ? pair.double.whole(response) : pieces(contentType, frames)
  const { status, text } = await exchange(pair, 'stream', script)
  if (status !== 200 || !text.includes('Gr')) throw new Error(`no stream: ${text}`)
  return isPassed(pair, script, text) ? 'passed' : 'translated'
}

async function cellOfCount({ app, client, double, key }: Pair): Promise<Cell> {
  if (client.countPath === undefined) return 'not offered'
  app.upstream.fallback(() => json({ input_tokens: 42, totalTokens: 42 }))
  const response = await app.request(client.countPath(double.model), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(client.bodyOf(double.model, false)),
  })
  if (response.status !== 200) return `refused: ${reasonOf(await response.text())}`
  await response.text()
  return response.headers.get('x-token-count') === 'vendor' ? 'passed' : 'translated'
}

async function cellOfErrors(pair: Pair): Promise<Cell> {
  const script = pair.double.error('rate_limited') ?? pair.double.error('bad_request')
  if (script === null) return 'not offered'
  const { status, text } = await exchange(pair, {}, script)
  if (status < 400) return 'not offered'
  return isPassed(pair, script, text) ? 'passed' : 'translated'
}

/** The client leaves, and the request to the vendor must end. */
async function cellOfAborts({ app, client, double, key }: Pair): Promise<Cell> {
  app.upstream.fallback(() => [{ do: 'hang' }])
  const before = app.upstream.received.length
  const leaves = new AbortController()
  const pending = app
    .request(client.pathOf(double.model, false), {
      ...{ method: 'POST', headers: { authorization: `Bearer ${key}` }, signal: leaves.signal },
      body: JSON.stringify(client.bodyOf(double.model, false)),
    })
    .catch(() => null)
  const ofChat = () => app.upstream.received.slice(before).find((request) => double.grant?.(request) == null)
  while (ofChat() === undefined) await new Promise((resolve) => setTimeout(resolve, 1))
  leaves.abort()
  await ofChat()?.aborted
  await pending
  return 'passed'
}

/** A response of the vendor that cites a page of its search. */
async function cellOfCitations(pair: Pair): Promise<Cell> {
  const script = citedBy(pair.double, pair.client.name)
  if (script === null) return 'not offered'
  const { status, text } = await exchange(pair, {}, script)
  if (status !== 200) return `refused: ${reasonOf(text)}`
  if (!text.includes(citedPage)) return 'not offered'
  return isPassed(pair, script, text) ? 'passed' : 'translated'
}

const cachedCount = /"(?:cached_tokens|cache_read_input_tokens|cachedContentTokenCount)":64\b/

const responseFeatures: Readonly<Record<string, (pair: Pair) => Promise<Cell>>> = {
  text: (pair) => cellOfResponse(pair, { text: 'Hello' }, { isThere: (text) => text.includes('Hello') }),
  stream: cellOfStream,
  async 'reasoning in the response'(pair) {
    if (isLacking(pair, 'reasoning')) return 'not offered'
    const isThere = (text: string) => text.includes('I must think')
    return await cellOfResponse(pair, { reasoning: 'I must think', text: 'Hello' }, { asking: pair.client.thinking, isThere })
  },
  async 'cache usage'(pair) {
    if (isLacking(pair, 'cached')) return 'not offered'
    return await cellOfResponse(pair, { text: 'Hello', usage: { ...usage, cached: 64 } }, { isThere: (text) => cachedCount.test(text) })
  },
  citations: cellOfCitations,
  'token count': cellOfCount,
}

/** One column: what becomes of each feature. Errors come last, because they pause the channel. */
async function column(pair: Pair): Promise<ReadonlyMap<string, Cell>> {
  const cells = new Map<string, Cell>()
  for (const [name, cellOf] of Object.entries(responseFeatures)) cells.set(name, await cellOf(pair))
  for (const [name, feature] of Object.entries(requestFeatures)) cells.set(name, await cellOfRequest(pair, feature))
  cells.set('aborts', await cellOfAborts(pair))
  cells.set('errors', await cellOfErrors(pair))
  return cells
}

export type Columns = ReadonlyMap<ClientName, ReadonlyMap<string, ReadonlyMap<string, Cell>>>

/** Every client at every double. */
export async function protocolCells(app: TestApp, doubles: readonly VendorDouble[]): Promise<Columns> {
  const all = new Map<ClientName, Map<string, ReadonlyMap<string, Cell>>>()
  for (const client of clients) {
    const columns = new Map<string, ReadonlyMap<string, Cell>>()
    for (const double of doubles) columns.set(double.name, await column(await pairOf(app, client, double)))
    all.set(client.name, columns)
  }
  return all
}
