import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BrokenFrames, closeFrame, FrameReader, frameOf, opcode } from './frames.ts'

const mask = Buffer.from([1, 2, 3, 4])
const messageBytesMax = 100_000

/** What a reader says of some bytes, given in pieces. */
function read(pieces: readonly Uint8Array[], isMasked = true): unknown[] {
  const said: unknown[] = []
  const reader = new FrameReader({
    isMasked,
    messageBytesMax,
    sink: {
      message: (data) => said.push(typeof data === 'string' ? data : Buffer.from(data).toString('hex')),
      ping: (data) => said.push(['ping', Buffer.from(data).toString()]),
      pong: () => said.push('pong'),
      close: (code) => said.push(code),
    },
  })
  for (const piece of pieces) reader.push(Buffer.from(piece))
  return said
}

/** A part of a message: a frame that is not the first, the last, or either. */
function part(code: number, text: string, isLast: boolean): Buffer {
  const frame = frameOf(code, Buffer.from(text), mask)
  frame[0] = (isLast ? 0x80 : 0) | code
  return frame
}

test('messages are the same however their bytes are cut', () => {
  const messages = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 70_000 })), { maxLength: 5 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat(100_000), { maxLength: 20 }), fc.boolean(), (sent, places, isMasked) => {
      const bytes = Buffer.concat(
        sent.map((data) => frameOf(typeof data === 'string' ? opcode.text : opcode.binary, Buffer.from(data), isMasked ? mask : null)),
      )
      const ends = [...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
      const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      const whole = sent.map((data) => (typeof data === 'string' ? Buffer.from(data).toString() : Buffer.from(data).toString('hex')))
      expect(read(pieces, isMasked)).toEqual(whole)
    }),
    { verbose: true, numRuns: 60 },
  )
})

test('a message may come in parts, with signs of life between them', () => {
  const pieces = [part(opcode.text, 'one ', false), frameOf(opcode.ping, Buffer.from('?'), mask), part(opcode.continuation, 'two', true)]
  expect(read(pieces)).toEqual([['ping', '?'], 'one two'])
  expect(read([frameOf(opcode.pong, Buffer.alloc(0), mask), closeFrame(1001, mask), frameOf(opcode.close, Buffer.alloc(0), mask)])).toEqual(
    ['pong', 1001, 1005],
  )
})

const raw = (...bytes: number[]): Buffer => Buffer.from(bytes)

describe('what breaks the rules ends with the code that says how', () => {
  test.each<[string, readonly Uint8Array[], number]>([
    ['a frame without a mask', [frameOf(opcode.text, Buffer.from('a'))], 1002],
    ['an extension that nobody agreed on', [raw(0xc1, 0x80, 0, 0, 0, 0)], 1002],
    ['an unknown kind', [raw(0x83, 0x80, 0, 0, 0, 0)], 1002],
    ['a sign of life in parts', [raw(0x09, 0x80, 0, 0, 0, 0)], 1002],
    ['a sign of life that is long', [frameOf(opcode.ping, Buffer.alloc(126), mask)], 1002],
    ['a part of nothing', [part(opcode.continuation, 'a', true)], 1002],
    ['a message within another', [part(opcode.text, 'a', false), part(opcode.text, 'b', true)], 1002],
    ['a message that is too long', [frameOf(opcode.binary, Buffer.alloc(messageBytesMax + 1), mask)], 1009],
    [
      'parts that are too long together',
      [part(opcode.text, 'a'.repeat(messageBytesMax), false), part(opcode.continuation, 'b', true)],
      1009,
    ],
    ['a text that is none', [frameOf(opcode.text, raw(0xff), mask)], 1007],
    ['half a code', [frameOf(opcode.close, raw(3), mask)], 1002],
    ['a code that may not be sent', [closeFrame(1005, mask)], 1002],
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
