import { soak } from './soak.ts'

// `npm run soak [-- MINUTES [REQUESTS A SECOND]]`

/** Largest growth of memory in MiB a minute over the second half. In a short run it depends on the time since the last collection. */
const slopeMax = { short: 1, long: 0.3 } as const
const longMinutes = 60
/** Growth is not measured in shorter runs. */
const slopeMinutesMin = 2

const [minutes = 5, rate = 100] = process.argv.slice(2).map(Number)
const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
console.log(`SEED=${seed}, ${minutes} minutes of ${rate} requests a second`)
const report = await soak({ seconds: minutes * 60, rate, seed })
console.log(report)
const allowed = minutes < longMinutes ? slopeMax.short : slopeMax.long
const grows = minutes >= slopeMinutesMin && report.memorySlope > allowed
if (grows) console.log(`Memory grows by more than ${allowed} MiB a minute.`)
const isSound = report.verified.includes('The ledger is sound.') && report.verified.includes('0 open reservations')
process.exit(Object.keys(report.wrong).length === 0 && report.exitCode === 0 && isSound && !grows ? 0 : 1)
