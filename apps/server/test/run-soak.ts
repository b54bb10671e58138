import { hostileSoak } from './hostile/soak.ts'
import { nodesSoak } from './nodes-soak.ts'
import { startPostgres } from './postgres-server.ts'
import { simulateLeases } from './simulate-leases.ts'
import { soak } from './soak.ts'

// `npm run soak [-- MINUTES [REQUESTS A SECOND]]`, `npm run soak -- nodes [MINUTES [NODES [REQUESTS A SECOND]]]`,
// `npm run soak -- hostile [MINUTES]`, `npm run soak -- leases [SEEDS]`

/** Largest growth of memory in MiB a minute over the second half. In a short run it depends on the time since the last collection. */
const slopeMax = { short: 1, long: 0.3 } as const
const longMinutes = 60
/** Growth is not measured in shorter runs. */
const slopeMinutesMin = 2

const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
if (process.argv[2] === 'nodes') await soakNodes(process.argv.slice(3).map(Number))
if (process.argv[2] === 'hostile') await soakHostile(process.argv.slice(3).map(Number))
if (process.argv[2] === 'leases') soakLeases(process.argv.slice(3).map(Number))
const [minutes = 5, rate = 100] = process.argv.slice(2).map(Number)
console.log(`SEED=${seed}, ${minutes} minutes of ${rate} requests a second`)
const report = await soak({ seconds: minutes * 60, rate, seed })
console.log(report)
const allowed = minutes < longMinutes ? slopeMax.short : slopeMax.long
const grows = minutes >= slopeMinutesMin && report.memorySlope > allowed
if (grows) console.log(`Memory grows by more than ${allowed} MiB a minute.`)
const isConsistent = report.verified.includes('The ledger is consistent.') && report.verified.includes('0 open reservations')
process.exit(Object.keys(report.wrong).length === 0 && report.exitCode === 0 && isConsistent && !grows ? 0 : 1)

/** Kills and stops nodes and their database under load. Ends the process. */
async function soakNodes([minutes = 3, size = 3, rate]: readonly number[]): Promise<never> {
  console.log(`SEED=${seed}, ${minutes} minutes of faults on ${size} nodes`)
  const database = await startPostgres()
  const { wrong, ...report } = await nodesSoak({ database, seconds: minutes * 60, seed, size, ...(rate !== undefined && { rate }) })
  await database.stop()
  console.log(report)
  for (const line of wrong) console.log(line)
  console.log(wrong.length === 0 ? 'Every answer is charged once, and the ledger is sound.' : `${wrong.length} faults`)
  process.exit(wrong.length === 0 ? 0 : 1)
}

/** Asks two nodes for what vendors respond with values of random types. Ends the process. */
async function soakHostile([minutes = 10]: readonly number[]): Promise<never> {
  console.log(`SEED=${seed}, ${minutes} minutes of vendors with values of random types`)
  const database = await startPostgres()
  const { wrong, ...report } = await hostileSoak({ database, seconds: minutes * 60, seed })
  await database.stop()
  console.log(report)
  for (const line of wrong) console.log(line)
  console.log(wrong.length === 0 ? 'No node ended, no request failed in the server, and the ledger is sound.' : `${wrong.length} faults`)
  process.exit(wrong.length === 0 ? 0 : 1)
}

/** Runs the simulation of leases with many seeds. Ends the process. */
function soakLeases([seeds = 1_000_000]: readonly number[]): never {
  // Without a given seed the first ones are run, so that a count that was reached names its seeds.
  const first = process.env['SEED'] === undefined ? 0 : seed
  const broken = simulateLeases(first, seeds)
  for (const line of broken) console.log(line)
  console.log(broken.length === 0 ? `No rule was broken by the seeds ${first} to ${first + seeds - 1}.` : 'The simulation ended early.')
  process.exit(broken.length === 0 ? 0 : 1)
}
