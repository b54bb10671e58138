import { expect, test } from 'bun:test'
import { simulateLeases } from '../../test/simulate-leases.ts'

// The protocol of leases with the books as a model. SEED runs one seed; `npm run soak -- leases` runs a million.

const seeds = 100_000

test('nodes that die, wake up and share one balance never spend it twice', () => {
  const one = process.env['SEED']
  const broken = one === undefined ? simulateLeases(Math.floor(Math.random() * 1e9), seeds) : simulateLeases(Number(one), 1)
  expect(broken).toEqual([])
}, 600_000)
