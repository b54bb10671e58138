import { soak } from './soak.ts'

// `npm run soak [-- MINUTES [REQUESTS A SECOND]]`

/** What memory may grow by, once it has grown to what is needed. */
const slopeMax = 1
/** Shorter runs say nothing of memory. */
const slopeMinutesMin = 2

const [minutes = 5, rate = 100] = process.argv.slice(2).map(Number)
const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
console.log(`SEED=${seed}, ${minutes} minutes of ${rate} requests a second`)
const report = await soak({ seconds: minutes * 60, rate, seed })
console.log(report)
const grows = minutes >= slopeMinutesMin && report.memorySlope > slopeMax
if (grows) console.log(`Memory grows by more than ${slopeMax} MiB a minute.`)
const isSound = report.verified.includes('The ledger is sound.') && report.verified.includes('0 open reservations')
process.exit(Object.keys(report.wrong).length === 0 && report.exitCode === 0 && isSound && !grows ? 0 : 1)
