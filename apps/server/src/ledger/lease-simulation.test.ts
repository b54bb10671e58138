import { expect, test } from 'bun:test'
import { createLeaseWorld, settleDown, step, violations } from '../../test/lease-world.ts'

// The protocol of leases with the books as a model: every rule is checked after every step. LEASE_SEEDS sets the number of seeds, SEED runs one.

const steps = 40

function run(seed: number): readonly string[] {
  const world = createLeaseWorld(seed)
  for (let count = 0; count < steps; count++) {
    step(world)
    const broken = violations(world)
    if (broken.length > 0) return broken.map((rule) => `seed ${seed}, step ${count}: ${rule}`)
  }
  settleDown(world)
  const { books } = world
  const broken = [...violations(world)]
  if (books.leased !== 0 || books.tokenLeased !== 0) broken.push('a lease was not given back')
  return broken.map((rule) => `seed ${seed}, at the end: ${rule}`)
}

const one = process.env['SEED']
const seeds = Number(process.env['LEASE_SEEDS'] ?? 100_000)

test('nodes that die, wake up and share one balance never spend it twice', () => {
  const first = one === undefined ? Math.floor(Math.random() * 1e9) : Number(one)
  const failed: string[] = []
  for (let seed = first; seed < first + (one === undefined ? seeds : 1) && failed.length < 3; seed++) failed.push(...run(seed))
  expect(failed).toEqual([])
}, 600_000)
