import { readEnv } from './env.ts'
import { openForReading } from './db/open-for-reading.ts'
import { verify } from './ledger/verify.ts'

/** `npm run verify [-- PATH]`: prints whether the rules of the ledger hold on a database; exits 1 where one does not. */
async function main(path: string): Promise<number> {
  const { db, close } = openForReading(path)
  const { checks, facts, isSound } = await verify(db, { withLogs: true })
  for (const { rule, broken } of checks) {
    console.log(`${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${rule}`)
    for (const line of broken) console.log(`        ${line}`)
  }
  console.log(`        ${facts.entries} entries, balances sum to ${facts.balance}, ${facts.openHolds} open reservations, ${facts.negativeBalances} negative balances`)
  console.log(isSound ? 'The ledger is sound.' : 'The ledger is NOT sound.')
  await close()
  return isSound ? 0 : 1
}

process.exit(await main(process.argv[2] ?? `${readEnv().dataDir}/sluice.db`))
