import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One received span, with its attributes as plain values. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

export interface FakeCollector {
  readonly url: string
  readonly requests: ReadonlyArray<{ readonly path: string; readonly headers: Readonly<Record<string, unknown>>; readonly body: string }>
  readonly spans: readonly ReceivedSpan[]
  /** Sets the statuses of the next responses; 0 = no response. Otherwise 200. */
  response(...statuses: readonly number[]): void
  close(): Promise<void>
}

interface Wire {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly WireSpan[] }> }>
}

interface WireSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind'> {
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: ReadonlyArray<{
    readonly key: string
    readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly doubleValue?: number }
  }>
}

/** A collector of traces on loopback: OTLP over HTTP, in JSON. */
export async function startFakeCollector(): Promise<FakeCollector> {
  const requests: Array<{ path: string; headers: Record<string, unknown>; body: string }> = []
  const spans: ReceivedSpan[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      const status = statuses.shift() ?? 200
      if (status === 0) return
      // Holds: otherwise the tests that read the spans fail.
      if (status === 200)
        spans.push(...(JSON.parse(body) as Wire).resourceSpans.flatMap((one) => one.scopeSpans).flatMap((one) => one.spans.map(read)))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Holds: a listening TCP server has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spans,
    response: (...next) => void statuses.push(...next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function read({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startTimeUnixNano,
  endTimeUnixNano,
  status,
  attributes,
}: WireSpan): ReceivedSpan {
  const values = attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)] as const)
  const ms = (nanos: string): number => Number(BigInt(nanos) / 1000n) / 1000
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startMs: ms(startTimeUnixNano),
    endMs: ms(endTimeUnixNano),
    isError: status.code === 2,
    attributes: Object.fromEntries(values),
  }
}
