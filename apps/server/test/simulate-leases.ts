import { createLeaseWorld, settleDown, step, violations } from './lease-world.ts'

const steps = 40
/** Broken rules after which no more seeds are run. */
const brokenMax = 3

/** Runs the protocol of leases with this many seeds, and checks every rule after every step. @returns what was broken, with its seed */
export function simulateLeases(first: number, seeds: number): readonly string[] {
  const broken: string[] = []
  for (let seed = first; seed < first + seeds && broken.length < brokenMax; seed++) broken.push(...run(seed))
  return broken
}

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
  if (books.asides.size > 0) broken.push('something stays set aside')
  return broken.map((rule) => `seed ${seed}, at the end: ${rule}`)
}
