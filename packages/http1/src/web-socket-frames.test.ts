import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BrokenFrames, closeFrame, FrameReader, frameOf, type Message, opcode } from './web-socket-frames.ts'

const mask = Buffer.from([1, 2, 3, 4])
const messageBytesMax = 100_000

/** What a reader reports for bytes in pieces. */
function read(pieces: readonly Uint8Array[], isMasked = true): unknown[] {
  const messages: unknown[] = []
  const reader = new FrameReader({
    isMasked,
    messageBytesMax,
    sink: {
      message: ({ isText, bytes }) => messages.push(bytes.toString(isText ? 'utf8' : 'hex')),
      ping: (data) => messages.push(['ping', Buffer.from(data).toString()]),
      pong: () => messages.push('pong'),
      close: (code) => messages.push(code),
    },
  })
  for (const piece of pieces) reader.push(Buffer.from(piece))
  return messages
}

/** A part of a message: a frame that is not the first, the last, or either. */
function part(code: number, text: string, isLast: boolean): Buffer {
  const frame = frameOf(code, Buffer.from(text), mask)
  frame[0] = (isLast ? 0x80 : 0) | code
  return frame
}

test('messages are the same however their bytes are split', () => {
  const messages = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 70_000 })), { maxLength: 5 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat(100_000), { maxLength: 20 }), fc.boolean(), (messages, places, isMasked) => {
      const bytes = Buffer.concat(
        messages.map((data) => frameOf(typeof data === 'string' ? opcode.text : opcode.binary, Buffer.from(data), isMasked ? mask : null)),
      )
      const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      const whole = messages.map((data) => (typeof data === 'string' ? Buffer.from(data).toString() : Buffer.from(data).toString('hex')))
      expect(read(pieces, isMasked)).toEqual(whole)
    }),
    { verbose: true, numRuns: 60 },
  )
})

test('a message may have several frames, with pings between them', () => {
  const pieces = [part(opcode.text, 'one ', false), frameOf(opcode.ping, Buffer.from('?'), mask), part(opcode.continuation, 'two', true)]
  expect(read(pieces)).toEqual([['ping', '?'], 'one two'])
  expect(read([frameOf(opcode.pong, Buffer.alloc(0), mask), closeFrame(1001, mask), frameOf(opcode.close, Buffer.alloc(0), mask)])).toEqual(
    ['pong', 1001, 1005],
  )
})

const raw = (...bytes: number[]): Buffer => Buffer.from(bytes)

describe('an invalid frame throws with its close code', () => {
  test.each<[string, readonly Uint8Array[], number]>([
    ['a frame without a mask', [frameOf(opcode.text, Buffer.from('a'))], 1002],
    ['an extension that was not negotiated', [raw(0xc1, 0x80, 0, 0, 0, 0)], 1002],
    ['an unknown opcode', [raw(0x83, 0x80, 0, 0, 0, 0)], 1002],
    ['a ping in parts', [raw(0x09, 0x80, 0, 0, 0, 0)], 1002],
    ['a ping that is too long', [frameOf(opcode.ping, Buffer.alloc(126), mask)], 1002],
    ['a continuation without a message', [part(opcode.continuation, 'a', true)], 1002],
    ['a message within another', [part(opcode.text, 'a', false), part(opcode.text, 'b', true)], 1002],
    ['a message that is too long', [frameOf(opcode.binary, Buffer.alloc(messageBytesMax + 1), mask)], 1009],
    [
      'parts that are too long together',
      [part(opcode.text, 'a'.repeat(messageBytesMax), false), part(opcode.continuation, 'b', true)],
      1009,
    ],
    ['a length that would fit into fewer bytes', [raw(0x81, 0xfe, 0, 1, 0, 0, 0, 0, 97)], 1002],
    ['a long length that would fit into fewer bytes', [raw(0x82, 0xff, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0)], 1002],
    ['a length with the first bit set', [raw(0x82, 0xff, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)], 1002],
    ['invalid UTF-8', [frameOf(opcode.text, raw(0xff), mask)], 1007],
    ['half a close code', [frameOf(opcode.close, raw(3), mask)], 1002],
    ['a close code that may not be sent', [closeFrame(1005, mask)], 1002],
  ])('%s', (_, pieces, code) => {
    let error: unknown = null
    try {
      read(pieces)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(BrokenFrames)
    expect(error).toMatchObject({ code })
  })
})

test('of pings that arrive together the last one is reported, before a close and after earlier messages', () => {
  const ping = (text: string): Buffer => frameOf(opcode.ping, Buffer.from(text), mask)
  const together = Buffer.concat([ping('1'), frameOf(opcode.text, Buffer.from('a'), mask), ping('2'), ping('3')])
  expect(read([together])).toEqual(['a', ['ping', '3']])
  expect(read([Buffer.concat([ping('1'), closeFrame(1000, mask)])])).toEqual([['ping', '1'], 1000])
})

test('a message of very many parts costs its own bytes only', () => {
  const messages: unknown[] = []
  const sink = { message: ({ bytes }: Message) => messages.push(bytes.length), ping: () => {}, pong: () => {}, close: () => {} }
  const reader = new FrameReader({ isMasked: true, messageBytesMax, sink })
  const [first, empty, one, last] = [part(opcode.text, '', false), part(0, '', false), part(0, 'x', false), part(0, '', true)]
  reader.push(first)
  const before = process.memoryUsage().arrayBuffers
  for (let index = 0; index < 50_000; index += 1) reader.push(Buffer.concat([empty, one]))
  Bun.gc(true)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * messageBytesMax)
  reader.push(last)
  expect(messages).toEqual([50_000])
})

test('very many frames are read in several steps, and none is lost', () => {
  let count = 0
  const message = (): void => {
    count += 1
  }
  const sink = { message, ping: () => {}, pong: () => {}, close: () => {} }
  const reader = new FrameReader({ isMasked: true, messageBytesMax, sink })
  const all = Buffer.concat(Array.from({ length: 10_000 }, () => frameOf(opcode.binary, Uint8Array.of(1), mask)))
  let goes = 0
  for (let rest: Buffer | null = all; rest !== null; rest = reader.pushSome(rest)) {
    expect(count).toBeLessThanOrEqual(goes * 1_000)
    goes += 1
  }
  expect([count, goes > 10]).toEqual([10_000, true])
})
