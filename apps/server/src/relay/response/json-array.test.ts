import { expect, test } from 'bun:test'
import type { ResponseStream, ServerResponse } from '@sluice/http1/response'
import { asJsonArray } from './json-array.ts'

const events = { 'content-type': 'text/event-stream; charset=utf-8' }
const encoder = new TextEncoder()

/** What a client gets of a response whose parts are sent one by one. */
function outputOf(...parts: readonly string[]): string {
  let text = ''
  const out: ResponseStream = {
    drained: () => undefined,
    write(bytes) {
      text += new TextDecoder().decode(bytes)
      return true
    },
    end: () => undefined,
    reset: () => undefined,
  }
  const response = asJsonArray({
    ...{ status: 200, headers: events },
    body(stream: ResponseStream) {
      for (const part of parts) stream.write(encoder.encode(part))
      stream.end()
    },
  })
  if (response instanceof Response || typeof response.body !== 'function') throw new Error('the reply is no stream')
  response.body(out)
  return text
}

test('events become items, however they are cut, and heartbeats white space', () => {
  expect(JSON.parse(outputOf('data: {"a":1}\n\ndata: {"b"', ':2}\n\n: keep-alive\n\n', 'data: {"c":3}\n\n'))).toEqual([
    { a: 1 },
    { b: 2 },
    { c: 3 },
  ])
  expect(outputOf(': keep-alive\n\n')).toBe('\n[]')
})

test('events that are no objects, such as the terminator of another protocol, are left out', () => {
  expect(JSON.parse(outputOf('data: {"a":1}\n\ndata: \n\n', 'data: {"b":2}\n\ndata: [DONE]\n\n'))).toEqual([{ a: 1 }, { b: 2 }])
})

test('a response that is complete becomes an array, and one that is no stream stays as it is', () => {
  const whole: ServerResponse = { status: 200, headers: events, body: 'data: {"a":1}\n\n' }
  expect(asJsonArray(whole)).toMatchObject({ headers: { 'content-type': 'application/json; charset=utf-8' }, body: '[{"a":1}]' })
  const error = { status: 400, headers: { 'content-type': 'application/json' }, body: '{}' }
  expect(asJsonArray(error)).toBe(error)
})
