import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { onTheWire, readJson } from '../../../test/files.ts'
import type { Failure } from '../../core/failure.ts'
import { readFailure } from './failure.ts'

interface Recorded {
  readonly status: number
  readonly body: string
  readonly failure: Failure
}

describe('an error', () => {
  // Holds: the file is written as this interface says; a wrong row fails the comparison.
  for (const { status, body, failure } of readJson(join(import.meta.dir, 'fixtures/errors.json')) as readonly Recorded[]) {
    test(`of status ${status} that reads ${body.slice(0, 80) || 'nothing'} is ${failure.kind}`, () => {
      expect(onTheWire(readFailure(status, body))).toEqual(onTheWire(failure))
    })
  }

  test('of any status and any body becomes a failure with a message of limited length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        const { message } = readFailure(status, body)
        expect(message).not.toBe('')
        expect(message.length).toBeLessThanOrEqual(2000)
      }),
    )
  })

  test('with a very long message is cut', () => {
    const body = JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'so '.repeat(5000) } })
    expect(readFailure(500, body).message.length).toBe(2000)
  })
})
