import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { messagesType, type Script, type Step } from '../fake-upstream.ts'
import { follow } from '../fault-scene.ts'
import { metricsToken, scrape, total } from '../scrape.ts'
import { until } from '../server-process.ts'
import { doubles } from './doubles/all.ts'
import type { VendorDouble } from './vendor-double.ts'

// Everything that can go wrong in a stream at once, at every vendor, as clients of every protocol see it.

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { METRICS_TOKEN: metricsToken } })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const text = 'Grüße, 世界 🙂, and all the best'
const newline = 0x0a

/** Frames of events with comments between them, and with other ends of every second of their lines. */
function disguised(frame: Uint8Array, at: number): Uint8Array {
  const lines = Buffer.from(frame).toString().split('\n')
  const joined = lines.map((line, index) => (index === lines.length - 1 ? line : line + ((at + index) % 2 === 0 ? '\r\n' : '\n')))
  return Buffer.from(`: waiting\n${joined.join('')}:\r\n`)
}

/** Blank lines between the frames. */
const spaced = (frame: Uint8Array): Uint8Array =>
  Buffer.concat([frame.at(-1) === newline ? frame.subarray(0, -1) : frame, Buffer.from('\r\n\n')])

const disguises: Readonly<Record<string, (frame: Uint8Array, at: number) => Uint8Array>> = {
  'text/event-stream': disguised,
  'application/x-ndjson': spaced,
}

/** A slow start and half of the response in packets that cut its letters apart; then, once the client has text, an error and a reset. */
function faultsOf(double: VendorDouble, error: Uint8Array, hasText: string): Script {
  const { contentType, frames } = double.stream({ text })
  const change = disguises[contentType] ?? ((frame: Uint8Array) => frame)
  const [last = error, ...begun] = [error, ...frames.slice(0, Math.ceil(frames.length / 2))].map(change)
  const send = (bytes: Uint8Array): Step => ({ do: 'send', bytes })
  return [
    { do: 'head', status: 200, headers: { 'content-type': contentType } },
    { do: 'pause', ms: 20 },
    ...(contentType === messagesType ? begun : packetsOf(Buffer.concat(begun))).map(send),
    { do: 'wait', name: hasText },
    send(last),
    // A reset would overtake what was sent.
    { do: 'pause', ms: 5 },
    { do: 'cut' },
  ]
}

function packetsOf(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / 3) }, (_packet, at) => bytes.subarray(at * 3, at * 3 + 3))
}

/** The events without comments and with one kind of line ends, which make no difference to clients. */
const plain = (received: string): string => received.replaceAll('\r\n', '\n').replaceAll(/^:.*\n/gm, '')

async function scene(double: VendorDouble, error: Uint8Array) {
  const { type, model: models, config, other } = double
  const key = double.key.replaceAll('{upstream}', app.upstream.url)
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key: token } = await app.make.token(user)
  const optional = { ...(config === undefined ? {} : { config }), ...(other === undefined ? {} : { other }) }
  const channel = await app.make.channel({ groups, type, key, models, ...optional })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(faultsOf(double, error, groups))
  const post = (client: ClientStream) =>
    app.request(client.pathOf(models), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(client.bodyOf({ model: models, content: 'Hi' })),
    })
  return { user, channel: String(channel), post, goOn: () => app.upstream.release(groups) }
}

const streaming = doubles.filter(({ lacks = [] }) => !lacks.includes('stream') && !lacks.includes('events'))

describe.each(streaming.map((double) => [double.name, double] as const))('%s', (_name, double) => {
  const error = double.errorFrame()
  if (error === null) return
  // The doubles of OpenAI speak its chats, and it has responses of its own.
  const clients = [chats, messages, generated, ...(double.type === 1 ? [] : [responses])]
  test.each(clients.map((client) => [client.name, client] as const))(
    'a slow stream in small packets that brings an error and breaks is one error for %s, charged for what was relayed',
    async (_client, client) => {
      const { user, channel, post, goOn } = await scene(double, error)
      const stream = follow(await post(client))
      await until(() => stream.text().includes('Grü'))
      goOn()
      const read = client.read(plain((await stream.ended).text))
      expect(read).toMatchObject({ isEnded: false, errors: [expect.any(String)] })
      expect([text.startsWith(read.text), read.text]).toEqual([true, expect.stringMatching(/^Grü/)])
      await app.app.ledger.drain()
      const [row] = await app.data(contract.log.list, { username: user.username })
      expect(row).toMatchObject({ attempts: 1, end_reason: 'upstream_cut' })
      expect([read.text, row?.completion_tokens]).toEqual([read.text, countTokens(read.text)])
      expect(row?.quota).toBeGreaterThan(0)
      const series = await scrape(app)
      expect(total(series, 'sluice_attempts_total', { channel })).toBe(1)
      expect(total(series, 'sluice_channel_requests_in_flight', { channel })).toBe(0)
    },
  )
})
