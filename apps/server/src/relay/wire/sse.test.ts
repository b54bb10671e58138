import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SseEvent } from '../model/sse-event.ts'
import { createSseReader, eventBytesMax, eventLinesMax, lineBytesMax, SseLineTooLong } from './sse.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The data of all events of the text, split at the given positions. */
function dataOf(text: string, cuts: readonly number[] = []): (string | null)[] {
  return eventsOf(text, cuts)
    .map(({ data }) => data)
    .filter((data) => data !== null)
}

/** The bytes of all events, as passed through to a client. */
function rawOf(text: string, cuts: readonly number[]): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(eventsOf(text, cuts).map(({ raw }) => raw)))
}

function eventsOf(text: string, cuts: readonly number[]): readonly SseEvent[] {
  const whole = bytes(text)
  const reader = createSseReader()
  const places = [0, ...[...cuts].map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return places.slice(1).flatMap((end, index) => [...reader.push(whole.slice(places[index], end))])
}

describe('event reader', () => {
  test('LF, CRLF and CR all end lines', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      expect(dataOf(`data: one${end}${end}data:two${end}${end}`)).toEqual(['one', 'two'])
    }
  })

  test('several data lines of one event are joined, other fields are skipped', () => {
    expect(dataOf('event: x\nid: 7\ndata: a\ndata: b\n\n')).toEqual(['a\nb'])
  })

  test('comments and an unfinished last event have no data', () => {
    expect(dataOf(': keep-alive\n\ndata: a\n\ndata: cut off')).toEqual(['a'])
  })

  test('a byte order mark before the first field is skipped', () => {
    expect(dataOf('\uFEFFdata: a\n\n')).toEqual(['a'])
  })

  test('characters split between chunks stay whole', () => {
    const text = 'data: 你好 🙂\n\n'
    for (let cut = 0; cut < bytes(text).length; cut++) expect(dataOf(text, [cut])).toEqual(['你好 🙂'])
  })

  test('the raw bytes of all events are the stream itself', () => {
    const text = 'data: a\r\n\r\n: comment\n\nevent: e\ndata: b\n\n'
    const raw = createSseReader()
      .push(bytes(text))
      .map((event) => new TextDecoder().decode(event.raw))
    expect(raw.join('')).toBe(text)
  })

  test('every split of every stream gives the same events', () => {
    const line = fc.constantFrom('data: x', 'data:y', 'data: 你', ': c', 'event: e', '', 'data', 'id: 1')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    const stream = fc.array(fc.tuple(line, end), { maxLength: 20 }).map((lines) => lines.map((pair) => pair.join('')).join(''))
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
        expect(dataOf(text, cuts)).toEqual(dataOf(text))
        expect(text.startsWith(rawOf(text, cuts))).toBe(true)
      }),
      { numRuns: Number(process.env['SSE_SPLITS'] ?? 5000) },
    )
  })

  test('a line in a hundred thousand pieces is read in the time that its length takes', () => {
    const reader = createSseReader()
    const piece = bytes('0123456789')
    const pieces = 100_000
    reader.push(bytes('data: '))
    for (let pushed = 0; pushed < pieces; pushed++) expect(reader.push(piece)).toHaveLength(0)
    expect(reader.push(bytes('\n\n'))[0]?.data).toHaveLength(pieces * piece.length)
    // A reader that copies its buffer for every chunk would take longer.
  }, 5_000)

  test('what was handed out does not change when more comes', () => {
    const reader = createSseReader()
    const raw = ['data: o', 'ne\n\ndata: t', 'wo\n\ndata: thr', 'ee\n\n']
      .flatMap((text) => [...reader.push(bytes(text))])
      .map((event) => event.raw)
    expect(raw.map((part) => new TextDecoder().decode(part))).toEqual(['data: one\n\n', 'data: two\n\n', 'data: three\n\n'])
  })

  test('an event of lines that never ends is refused at its limit', () => {
    const reader = createSseReader()
    const line = bytes(`data: ${'a'.repeat(1024 * 1024)}\n`)
    expect(() => {
      for (let pushed = 0; pushed <= eventBytesMax; pushed += line.length) reader.push(line)
    }).toThrow(SseLineTooLong)
  })

  test.each([':', 'data:', 'id:', 'a', 'data: b'])('an event of too many lines "%s" is refused, in whatever pieces it comes', (line) => {
    for (const end of ['\n', '\r\n', '\r']) {
      const most = `${line}${end}`.repeat(eventLinesMax)
      for (const cut of [most.length, 1_001]) {
        const cuts = Array.from({ length: Math.ceil(most.length / cut) }, (_, index) => index * cut)
        expect(rawOf(`${most}${end}`.repeat(2), cuts)).toBe(`${most}${end}`.repeat(2))
        expect(() => eventsOf(`${most}${line}${end}`, cuts)).toThrow(SseLineTooLong)
      }
    }
  })

  test('an event without a space before its data has them, too', () => {
    expect(dataOf('data:\n\ndata: \n\ndata:  a\n\nevent: e\ndata:b\n\ndata:{}\r\n\r\n')).toEqual(['', '', ' a', 'b', '{}'])
  })

  test('a line that does not end is refused at its limit, not cut', () => {
    const reader = createSseReader()
    const chunk = new Uint8Array(1024 * 1024).fill(97)
    expect(() => {
      for (let pushed = 0; pushed <= lineBytesMax; pushed += chunk.length) reader.push(chunk)
    }).toThrow(SseLineTooLong)
  })
})

describe('comments', () => {
  test('that come together are one event without data, and pass unchanged', () => {
    const text = `${':\n\n'.repeat(1_000)}: a\n: b\n\ndata: one\n\n${': keep-alive\n\n'.repeat(50)}`
    const events = createSseReader().push(bytes(text))
    expect(events.map(({ data }) => data)).toEqual([null, 'one', null])
    expect(rawOf(text, [])).toBe(text)
  })

  test('are one event for each piece that they came in, however many there are', () => {
    const reader = createSseReader()
    const piece = bytes(':\n\n'.repeat(21_845))
    for (let pushed = 0; pushed < 4 * 1024 * 1024; pushed += piece.length) expect(reader.push(piece)).toHaveLength(1)
  })
})
