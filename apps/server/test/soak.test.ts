import { expect, test } from 'bun:test'
import { soak } from './soak.ts'

test('under a mixed load with faults every response is as expected, and the ledger is consistent afterwards', async () => {
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  const { wrong, exitCode, verified, requestCount } = await soak({ seconds: 3, rate: 50, seed })
  expect({ wrong, exitCode, sent: requestCount }).toEqual({ wrong: {}, exitCode: 0, sent: 150 })
  expect(verified).toContain('The ledger is consistent.')
  expect(verified).toContain('0 open reservations')
}, 60_000)
