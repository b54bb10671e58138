import { expect, test } from 'bun:test'
import { SendQueue } from './send-queue.ts'

/** A socket that takes only this many bytes of each write. */
function slowWire(bytesPerWrite: () => number) {
  const taken: Buffer[] = []
  return {
    text: () => Buffer.concat(taken).toString('latin1'),
    wire: {
      remoteAddress: '',
      pause: () => {},
      resume: () => {},
      shutdown: () => {},
      terminate: () => {},
      write(bytes: Uint8Array, offset = 0, length = bytes.length) {
        const count = Math.min(bytesPerWrite(), length)
        taken.push(Buffer.from(bytes.subarray(offset, offset + count)))
        return count
      },
    },
  }
}

test('bytes that a socket does not take stay unchanged while other connections assemble their messages', () => {
  let room = 3
  const { wire, text } = slowWire(() => room)
  let waits = 0
  const queue = new SendQueue(wire, () => {
    waits += 1
  })
  const other = slowWire(() => 1_000_000)
  const others = new SendQueue(other.wire, () => {})

  queue.writeMessage('HEAD\r\n\r\n', 'first body')
  others.writeMessage('OTHER\r\n\r\n', 'x'.repeat(500))
  queue.writeChunk(Buffer.from('a chunk of 19 bytes'))
  others.writeChunk(Buffer.from('y'.repeat(500)))
  queue.writeMessage('NEXT\r\n\r\n', Buffer.from('second'))
  queue.writeMessage('LARGE\r\n\r\n', 'z'.repeat(100_000))
  others.writeChunk(Buffer.alloc(100_000, 'w'))
  expect(text()).toBe('HEA')
  expect(waits).toBe(1)

  room = 1_000
  while (!queue.isEmpty) queue.drain()
  const large = `LARGE\r\n\r\n${'z'.repeat(100_000)}`
  expect(text()).toBe(`HEAD\r\n\r\nfirst body13\r\na chunk of 19 bytes\r\nNEXT\r\n\r\nsecond${large}`)
  expect(other.text()).toBe(`OTHER\r\n\r\n${'x'.repeat(500)}1f4\r\n${'y'.repeat(500)}\r\n186a0\r\n${'w'.repeat(100_000)}\r\n`)
})

test('a head is sent in Latin-1, a body in UTF-8', () => {
  const { wire, text } = slowWire(() => 1_000)
  new SendQueue(wire, () => {}).writeMessage('x: \xe9\r\n\r\n', 'é 世')
  expect(Buffer.from(text(), 'latin1')).toEqual(Buffer.concat([Buffer.from('x: \xe9\r\n\r\n', 'latin1'), Buffer.from('é 世')]))
})
