import { writeFileSync } from 'node:fs'
import { SQL } from 'bun'
import { createMasterKey } from '../apps/server/src/lib/master-key.ts'
import { createSeal } from '../apps/server/src/lib/seal.ts'

/** Enough for every measurement. */
const quota = 1_000_000_000

interface SeedOptions {
  /** The address of a database whose tables and root account are there. */
  readonly url: string
  readonly secret: string
  readonly count: number
}

/** Accounts with a balance, each with a token without limits. @returns the keys as clients send them */
export async function seedAccounts({ url, secret, count }: SeedOptions): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, index) => `bench${index}`.padEnd(48, 'x'))
  const client = new SQL(url, { max: 1 })
  const [stored] = await client.unsafe<{ derivation?: string }[]>('SELECT * FROM master_key')
  const seal = createSeal(await createMasterKey({ secret, dataDir: '' }, stored?.derivation ?? ''))
  const lookups = keys.map((key, index) => `(${index + 1}, '${seal.lookup(key, 'token')}')`)
  await client.unsafe(`WITH made AS (
      INSERT INTO users (username, display_name, password_hash, role, status, quota, created_time)
      SELECT 'bench' || i, '', '', 1, 1, ${quota}, 0 FROM generate_series(1, ${count}) AS i RETURNING id, username
    ), entered AS (
      INSERT INTO ledger (kind, ref, user_id, account, amount, created_at) SELECT 'grant', username, id, 'sys:grant', ${quota}, 0 FROM made
    ), balanced AS (
      INSERT INTO ledger_accounts AS a (name, balance) VALUES ('sys:grant', -${quota}::bigint * ${count})
      ON CONFLICT (name) DO UPDATE SET balance = a.balance + excluded.balance
    )
    INSERT INTO tokens (user_id, key_lookup, key_sealed, name, status, created_time, accessed_time, expired_time, remain_quota,
      unlimited_quota, models, subnet)
    SELECT m.id, l.lookup, '', 'bench', 1, 0, 0, -1, 0, 1, '', ''
    FROM made AS m JOIN (VALUES ${lookups.join()}) AS l (i, lookup) ON m.username = 'bench' || l.i`)
  await client.close()
  return keys.map((key) => `sk-${key}`)
}

/** @returns the path of a file with one key a line, as `load.ts` reads it */
export function writeKeys(path: string, keys: readonly string[]): string {
  writeFileSync(path, keys.join('\n'))
  return path
}
