import { describe, expect, test } from 'bun:test'
import { admits, admitsAsLast, begin, type Circuit, cool, finish, newCircuit, type Outcome, restMs } from './circuit.ts'

const start = 1_000_000

/** Applies the outcomes of consecutive requests, one every `everyMs`. */
function after(circuit: Circuit, outcomes: readonly Outcome[], { nowMs = start, everyMs = 1 } = {}): Circuit {
  return outcomes.reduce((before, outcome, index) => {
    const at = nowMs + index * everyMs
    const entered = begin(before, at)
    return finish(entered, { outcome, isProbe: entered.state === 'half_open', isLast: false }, at)
  }, circuit)
}

const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome)

describe('a channel that fails', () => {
  test('is not used after five failures in a row, each time for longer, at most two minutes', () => {
    expect(after(newCircuit, times(4, 'bad')).state).toBe('closed')
    expect(after(newCircuit, [...times(4, 'bad'), 'good', ...times(4, 'bad')]).state).toBe('closed')
    let circuit = after(newCircuit, times(5, 'bad'))
    const rests: number[] = []
    let now = start + 5
    for (let round = 0; round < 7; round++) {
      expect(admits(circuit, now)).toBe(false)
      const rest = restMs(circuit, now)
      rests.push(Math.round(rest / 1000))
      now += rest
      expect(admits(circuit, now)).toBe(true)
      circuit = after(circuit, ['bad'], { nowMs: now })
    }
    expect(rests).toEqual([5, 10, 20, 40, 80, 120, 120])
  })

  test('half of the time is not used after enough requests, except as the last resort', () => {
    const mixed = Array.from({ length: 20 }, (_, index): Outcome => (index % 2 === 0 ? 'good' : 'bad'))
    expect(after(newCircuit, mixed.slice(0, 18)).state).toBe('closed')
    const circuit = after(newCircuit, mixed)
    expect(circuit.state).toBe('open')
    expect(admits(circuit, start + 30)).toBe(false)
    for (let ms = 30; ms < 60; ms++) expect(admitsAsLast(circuit, start + ms)).toBe(true)
  })

  test('all the time is probed at most once a second as the last resort', () => {
    let circuit = after(newCircuit, times(5, 'bad'))
    let probes = 0
    for (let ms = 0; ms < 10_000; ms += 10) {
      if (!admitsAsLast(circuit, start + 10 + ms)) continue
      probes += 1
      circuit = after(circuit, ['bad'], { nowMs: start + 10 + ms })
    }
    expect(probes).toBe(10)
  })

  test('has no failure for unknown outcomes', () => {
    expect(after(newCircuit, times(50, 'unknown'))).toEqual(newCircuit)
  })

  test('and then works for long has a short pause again', () => {
    const opened = after(newCircuit, [...times(5, 'bad')])
    const well = after(opened, times(40, 'good'), { nowMs: start + 10_000, everyMs: 1_100 })
    expect(well.state).toBe('closed')
    const soon = after(well, times(5, 'bad'), { nowMs: start + 100_000 })
    const late = after(well, times(5, 'bad'), { nowMs: start + 1_000_000 })
    expect(soon.sinceMs - (start + 100_004)).toBe(10_000)
    expect(late.sinceMs - (start + 1_000_004)).toBe(5_000)
  })
})

test('a channel that recovers gets one request, two, four, not all at once (F56)', () => {
  let circuit = after(newCircuit, times(5, 'bad'))
  const now = start + 60_000
  const ramp: number[] = []
  for (let round = 0; round < 6 && circuit.state !== 'closed'; round++) {
    let admitted = 0
    while (admits(circuit, now + round * 1_000) && admitted < 100) {
      circuit = begin(circuit, now + round * 1_000)
      admitted += 1
    }
    ramp.push(admitted)
    for (let done = 0; done < admitted; done++)
      circuit = finish(circuit, { outcome: 'good', isProbe: true, isLast: false }, now + round * 1_000 + 1)
  }
  expect(ramp).toEqual([1, 2, 4, 8, 16])
  expect(circuit.state).toBe('closed')
})

test('as the last resort, the first good response closes the circuit without trial requests', () => {
  const dead = after(newCircuit, [...times(5, 'bad')])
  expect(dead.isDead).toBe(true)
  const probed = begin(dead, start + 60_000)
  const revived = finish(probed, { outcome: 'good', isProbe: true, isLast: false }, start + 60_001)
  expect([revived.state, admitsAsLast(revived, start + 60_002)]).toEqual(['half_open', true])
  expect(finish(probed, { outcome: 'good', isProbe: true, isLast: true }, start + 60_001).state).toBe('closed')
})

test('a refusal opens the circuit, but does not make a channel dead', () => {
  const refusing = after(newCircuit, times(8, 'refused'))
  expect([refusing.state, admits(refusing, start + 10), admitsAsLast(refusing, start + 10)]).toEqual(['open', false, true])
})

test('failures of requests that began before the circuit opened are not counted', () => {
  const opened = after(newCircuit, times(5, 'bad'))
  const halfOpen = begin(opened, start + 60_000)
  expect(finish(halfOpen, { outcome: 'bad', isProbe: false, isLast: false }, start + 60_001)).toEqual(halfOpen)
})

test('a cooldown that the vendor requested is kept even as the last resort, and the longest one counts', () => {
  const cooled = cool(cool(newCircuit, start + 5_000), start + 2_000)
  expect(admitsAsLast(cooled, start + 4_999)).toBe(false)
  expect(restMs(cooled, start + 1_000)).toBe(4_000)
  expect(admits(cooled, start + 5_000)).toBe(true)
})
