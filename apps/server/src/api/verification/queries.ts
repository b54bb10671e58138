import type { Db } from '../../db/connect.ts'
import { matchesUnique } from '../../db/matches-unique.ts'
import type { CodeTable } from '../../db/schema.ts'

/** A new code replaces the one before. */
export async function saveCode(db: Db, code: CodeTable): Promise<void> {
  const { key_hash: _key, ...rest } = code
  await db
    .insertInto('codes')
    .values(code)
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(rest))
    .execute()
}

/** Takes one try before the comparison, so that concurrent tries cannot exceed the tries left. */
export async function takeTry(db: Db, keyHash: string, now: number) {
  return await db
    .updateTable('codes')
    .set((build) => ({ tries_left: build('tries_left', '-', 1) }))
    .where('key_hash', '=', keyHash)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', now)
    .returning(['secret_hash', 'user_id', 'detail'])
    .executeTakeFirst()
}

/** `false` = it was used up at the same time, or replaced by a newer one. */
export async function spendCode(db: Db, keyHash: string, secretHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('codes')
    .where('key_hash', '=', keyHash)
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Counts one more in the key's window; a new window begins after the last has ended. @returns the count, and the end of the window */
export async function countOne(db: Db, window: { readonly keyHash: string; readonly now: number; readonly endsAt: number }) {
  const { keyHash, now, endsAt } = window
  return await db
    .insertInto('counters')
    .values({ key_hash: keyHash, count: 1, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict.column('key_hash').doUpdateSet((build) => {
        const isOver = build('counters.ends_at', '<=', now)
        return {
          count: build
            .case()
            .when(isOver)
            .then(build.val(1))
            .else(build('counters.count', '+', build.val(1)))
            .end(),
          ends_at: build.case().when(isOver).then(build.val(endsAt)).else(build.ref('counters.ends_at')).end(),
        }
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow()
}

export async function deleteStaleCodes(db: Db, now: number): Promise<void> {
  await db.deleteFrom('codes').where('expires_at', '<=', now).execute()
  await db.deleteFrom('counters').where('ends_at', '<=', now).execute()
}

export async function findByEmail(db: Db, email: string) {
  return await db.selectFrom('users').select(['id', 'username', 'role', 'status']).where(matchesUnique('email', email)).executeTakeFirst()
}
