import { sql } from 'kysely'
import { plainLog } from '../../apps/server/src/ledger/log-entry.ts'
import type { TestApp, TestUser } from '../../apps/server/test/app.ts'

export interface ChargesToRefuse {
  readonly owner: TestUser
  /** What each is to charge. */
  readonly amounts: readonly number[]
}

const heldQuota = 5_000

/** Charges that the database refuses, by a trigger that stays until `acceptCharges`. The newest is the last amount. */
export async function refuseCharges({ app, make }: TestApp, { owner, amounts }: ChargesToRefuse): Promise<null> {
  const { db } = app.store
  await sql`CREATE TRIGGER refused BEFORE INSERT ON logs WHEN NEW.type = 2 BEGIN SELECT RAISE(ABORT, 'a value is refused'); END`.execute(db)
  const { id: tokenId } = await make.token(owner)
  for (const [index, amount] of amounts.entries()) {
    const { id: userId, username } = owner
    const requestId = `refused-${index + 1}`
    const hold = await app.ledger.hold({ requestId, userId, tokenId, amount: heldQuota, modelName: 'gpt-4o' })
    const log = plainLog({ userId, createdAt: 1_760_000_000, type: 2, content: '', username, requestId, quota: amount })
    await app.ledger.settle(hold, { amount, channelId: 1, log })
  }
  return null
}

export async function acceptCharges({ app }: TestApp, _: null): Promise<null> {
  await sql`DROP TRIGGER refused`.execute(app.store.db)
  return null
}
