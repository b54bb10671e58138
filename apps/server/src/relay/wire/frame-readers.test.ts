import { describe, expect, test } from 'bun:test'
import { awsEvent, eventFrame } from '../../../test/vendors/event-stream-frames.ts'
import type { SseEvent } from '../model/sse-event.ts'
import { BrokenEventStream } from './event-stream.ts'
import { type FrameReader, frameReaderFor, messagesType } from './frame-readers.ts'
import { SseLineTooLong } from './sse.ts'

function readerOf(type: string, lineMax?: number): FrameReader {
  const reader = frameReaderFor(type, lineMax)
  if (reader === null) throw new Error(`${type} has no reader`)
  return reader
}

const plain = (events: readonly SseEvent[]) => events.map(({ name, data }) => ({ name, data }))

function readIn(type: string, parts: readonly Uint8Array[]) {
  const reader = readerOf(type)
  return plain([...parts.flatMap((part) => reader.push(part)), ...(reader.end?.() ?? [])])
}

const aws = 'application/vnd.amazon.eventstream'

// The examples of AWS's own libraries, and frames of Bedrock.
const vectors = {
  empty: '000000100000000005c248eb7d98c8ff',
  payload: '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936',
  text: '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
  number: '0000002d0000001041c424b80a6576656e742d74797065040000a00c7b27666f6f273a27626172277d36f480a0',
  delta:
    '0000009e00000057fe1b824f0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c74610d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b2274657874223a224869227d2c2270223a22616263227d9343f010',
  exception:
    '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
} as const
const bytesOf = (name: keyof typeof vectors): Uint8Array => Buffer.from(vectors[name], 'hex')

describe('AWS’s event streams', () => {
  test('are read as their examples say', () => {
    const read = (name: keyof typeof vectors) => readIn(aws, [bytesOf(name)])
    expect(read('payload')).toEqual([{ name: undefined, data: "{'foo':'bar'}" }])
    expect(read('text')).toEqual([{ name: undefined, data: "{'foo':'bar'}" }])
    expect(read('number')).toEqual([{ name: undefined, data: "{'foo':'bar'}" }])
    expect(read('delta')).toEqual([{ name: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"Hi"},"p":"abc"}' }])
    expect(read('exception')).toEqual([{ name: 'throttlingException', data: '{"message":"Too many requests"}' }])
    expect(read('empty')).toEqual([{ name: undefined, data: '{"message":""}' }])
  })

  test('written by the doubles are the same bytes as AWS’s', () => {
    const headers = { ':event-type': 'contentBlockDelta', ':content-type': 'application/json', ':message-type': 'event' }
    const payload = '{"contentBlockIndex":0,"delta":{"text":"Hi"},"p":"abc"}'
    expect(Buffer.from(eventFrame(headers, payload)).toString('hex')).toBe(vectors.delta)
  })

  test('with any byte changed are broken', () => {
    const frame = bytesOf('text')
    for (let at = 0; at < frame.length; at += 1) {
      const changed = Uint8Array.from(frame)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => readIn(aws, [changed])).toThrow(/frame|stream|line/)
    }
  })

  test('that end within a frame, or have lengths that do not fit, are broken', () => {
    expect(() => readIn(aws, [bytesOf('delta').subarray(0, 40)])).toThrow(BrokenEventStream)
    expect(() => readIn(aws, [bytesOf('delta').subarray(0, 5)])).toThrow(BrokenEventStream)
  })

  test('with a frame of 4 MiB are read whole, and one above the limit is refused before it has come', () => {
    const large = awsEvent('chunk', { bytes: 'a'.repeat(4 * 1024 * 1024) })
    const pieces = Array.from({ length: Math.ceil(large.length / 65_536) }, (_piece, at) => large.subarray(at * 65_536, (at + 1) * 65_536))
    expect(readIn(aws, pieces)[0]?.data?.length).toBe(4 * 1024 * 1024 + 12)
    expect(() => readerOf(aws, 1024).push(large.subarray(0, 20))).toThrow(SseLineTooLong)
  })
})

describe('lines of JSON', () => {
  const ndjson = 'application/x-ndjson'

  test('are read without blank lines, with either end of a line, and without one at the end', () => {
    expect(readIn(ndjson, [Buffer.from('{"a":1}\r\n\n  \n{"b":"ü"}')]).map(({ data }) => data)).toEqual(['{"a":1}', '{"b":"ü"}'])
  })

  test('of 4 MiB are read whole, and one above the limit is refused', () => {
    const line = Buffer.from(`{"a":"${'a'.repeat(4 * 1024 * 1024)}"}\n`)
    const reader = readerOf(ndjson, 8 * 1024 * 1024)
    const pieces = Array.from({ length: 100 }, (_piece, at) => line.subarray(at * 50_000, (at + 1) * 50_000))
    expect(pieces.flatMap((piece) => reader.push(piece))[0]?.data?.length).toBe(line.length - 1)
    expect(() => readerOf(ndjson, 10).push(Buffer.from('{"a":"too long"}'))).toThrow(SseLineTooLong)
  })
})

const streams: ReadonlyArray<readonly [string, Uint8Array]> = [
  [aws, Buffer.concat([bytesOf('delta'), bytesOf('exception'), awsEvent('messageStop', { stopReason: 'end_turn' })])],
  ['application/x-ndjson', Buffer.from('{"a":"Grüße"}\n{"b":"世界 🙂"}\n\n{"c":3}\n')],
  ['text/event-stream', Buffer.from('event: one\ndata: {"a":"Grüße"}\n\ndata: 世界\n\n')],
]

test.each(streams)('a stream of %s brings the same, wherever it is cut', (type, bytes) => {
  const whole = readIn(type, [bytes])
  expect(whole.length).toBeGreaterThan(1)
  for (let at = 0; at <= bytes.length; at += 1) expect(readIn(type, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
  const single = Array.from({ length: bytes.length }, (_byte, at) => bytes.subarray(at, at + 1))
  expect(readIn(type, single)).toEqual(whole)
})

test('messages of a WebSocket are events of their own, whatever is in them, and one of 4 MiB is whole', () => {
  const messages = ['{"a":"Grüße"}', '', '{"b":\n"世界 🙂"}\n', `{"c":"${'c'.repeat(4 * 1024 * 1024)}"}`]
  expect(
    readIn(
      messagesType,
      messages.map((text) => Buffer.from(text)),
    ).map(({ data }) => data),
  ).toEqual(messages)
})

test('a type without a reader has none', () => {
  expect(frameReaderFor('text/html', undefined)).toBeNull()
})
