import { describe, expect, test } from 'bun:test'
import { callOf } from '@sluice/contract'
import { endpoints } from './endpoints.ts'
import { alsoExpected, consoleBodies, consoleQueries, ours, specified } from './surface.ts'

const built = new Map(endpoints.map(([, endpoint]) => [callOf(endpoint), endpoint]))
const expected = [...specified, ...alsoExpected]

describe('the calls of the specification and of compatible consoles', () => {
  test('are exactly the calls of the contract', () => {
    const notBuilt = expected.filter((call) => !built.has(call))
    const builtUnasked = [...built.keys()].filter((call) => !expected.includes(call) && !Object.hasOwn(ours, call))
    const stale = Object.keys(ours).filter((call) => !built.has(call))
    // `notBuilt`: a call is missing. `builtUnasked`: add it to `ours` of surface.ts, with the reason. `stale`: remove it from surface.ts.
    expect({ notBuilt, builtUnasked, stale }).toEqual({ notBuilt: [], builtUnasked: [], stale: [] })
  })

  for (const [call, body] of consoleBodies) {
    test(`${call} accepts ${JSON.stringify(body).slice(0, 60)} as consoles send it`, () => {
      expect(built.get(call)?.input.safeParse(body).success).toBe(true)
    })
  }

  for (const [call, query] of consoleQueries) {
    test(`${call} accepts the query ${new URLSearchParams(query)}`, () => {
      expect(built.get(call)?.input.safeParse(query).success).toBe(true)
    })
  }
})
