import { describe, expect, test } from 'bun:test'
import { scrub, scrubText } from './scrub.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl_x-y'
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\n-----END RSA PRIVATE KEY-----'

describe('a text for the log', () => {
  test.each([
    ['sk-abcdefgh12', 'sk-***'],
    [`token ${jwt} end`, 'token *** end'],
    [`a-${jwt}`, 'a-***'],
    [`${jwt}.rest`, '***.rest'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.', '***'],
    ['xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc', 'xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc'],
    ['eyJhbGciOiJIUzI1NiJ9.short.x', 'eyJhbGciOiJIUzI1NiJ9.short.x'],
    [`before ${pem} after ${pem}`, 'before *** after ***'],
    ['{"a":"-----BEGIN PRIVATE KEY-----\\nMIIEow","b":1}', '{"a":"***","b":1}'],
    ['-----BEGIN it-----', '-----BEGIN it-----'],
    ['Bearer abcdefgh', 'Bearer ***'],
    ['/x?key=1&b=2', '/x?key=***&b=2'],
  ])('%s', (text, seen) => {
    expect(scrubText(text)).toBe(seen)
  })

  test('is cut, so that one value cannot fill the log', () => {
    expect(scrubText('x'.repeat(1_000_000)).length).toBeLessThan(70_000)
    expect(JSON.stringify(scrub({ detail: 'x '.repeat(1_000_000) })).length).toBeLessThan(70_000)
  })

  test('is scrubbed in time that is linear in its length', () => {
    const startMs = performance.now()
    const hostile = [
      '-----BEGIN X-----',
      '-----BEGIN A',
      '-eyJaaaaaaaa',
      'eyJaaaaaaaa.',
      'eyJ-',
      '-----END A',
      'Bearer ',
      'Bearer\t',
      '?key=',
    ]
    for (const part of hostile) scrubText(part.repeat(60_000))
    // A few milliseconds each; with steps that grow as the square of the length, minutes.
    expect(performance.now() - startMs).toBeLessThan(2_000)
  })
})
