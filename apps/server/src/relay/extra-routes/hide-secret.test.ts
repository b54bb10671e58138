import { expect, test } from 'bun:test'
import type { BodySink, UpstreamResponse } from '../upstream/http1/client.ts'
import { hideSecret, secretIn } from './hide-secret.ts'

/** What a client gets of chunks, chunk by chunk. The chunks themselves do not change. */
function through(key: string, texts: readonly string[]): readonly string[] {
  const chunks = texts.map((text) => new TextEncoder().encode(text))
  const passed: string[] = []
  let source: BodySink | null = null
  const ignore = () => undefined
  const response: UpstreamResponse = {
    ...{ status: 200, header: () => null, abort: ignore, pause: ignore, resume: ignore },
    pipe(sink) {
      source = sink
    },
  }
  hideSecret(response, secretIn(key)).pipe({
    data: (bytes) => void passed.push(new TextDecoder().decode(bytes)),
    end: () => void passed.push('<end>'),
    fail: () => void passed.push('<failed>'),
  })
  const sink = source as BodySink | null
  for (const chunk of chunks) sink?.data(chunk)
  sink?.end()
  expect(chunks.map((chunk) => new TextDecoder().decode(chunk))).toEqual([...texts])
  return passed
}

const key = 'Bearer abcabcabd'

test('stars replace the key without the word before it, and the length stays', () => {
  expect(through(key, ['x Bearer abcabcabd y abcabcabdabcabcabd'])).toEqual(['x Bearer ********* y ******************', '<end>'])
})

test('a key that chunks divide is found at every place', () => {
  const text = 'abcabcabcabd, abcabcab, abcabcabd'
  const expected = 'abc*********, abcabcab, *********<end>'
  for (let first = 0; first <= text.length; first += 1)
    for (let second = first; second <= text.length; second += 1)
      expect(through(key, [text.slice(0, first), text.slice(first, second), text.slice(second)]).join('')).toBe(expected)
})

test('only the beginning of the key waits for the next chunk, and it is passed on at the end', () => {
  expect(through(key, ['data: 1\n\n', 'data: ab', 'out', 'abcab'])).toEqual(['data: 1\n\n', 'data: ', 'about', 'abcab', '<end>'])
})

test('a key of a few characters is not looked for', () => {
  expect(secretIn('Bearer short')).toBeNull()
  expect(through('short', ['a short text'])).toEqual(['a short text', '<end>'])
})
