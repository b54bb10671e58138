import { expect, test } from 'bun:test'
import { anySignal } from './any-signal.ts'

test('aborts with the first signal, for its reason', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const any = anySignal([one.signal, other.signal])
  expect(any.aborted).toBe(false)
  other.abort('late')
  one.abort('later')
  expect(any.reason).toBe('late')
})

test('is aborted if a signal is', () => expect(anySignal([AbortSignal.abort('before')]).reason).toBe('before'))
