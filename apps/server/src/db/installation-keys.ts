// Locks and notifications belong to a whole database, but several installations may share one, each in a schema of its own. So their keys depend
// on the schema. In `public` they are those of the first versions, which servers of these use while others are upgraded.

/** What one session of an installation does at a time. The numbers are arbitrary, but the same in all versions of this product. */
const numbers = {
  /** Writing balances; shared by nodes. */
  owner: 7_310_579_424,
  migration: 2_310_579_426,
  'first-key': 2_310_579_425,
  partitions: 1_947_203_311,
} as const

type LockName = keyof typeof numbers

const inSchema = (inPublic: string, elsewhere: string): string =>
  `(CASE current_schema() WHEN 'public' THEN ${inPublic} ELSE ${elsewhere} END)`

/** SQL expression of the key of an advisory lock. */
export function lockKey(name: LockName): string {
  return inSchema(`${numbers[name]}`, `hashtextextended(current_schema()::text, ${numbers[name]})`)
}

/** SQL expression of the key of a node's lock. @param id SQL expression of the node's name, of type text */
export function nodeLockKey(id: string): string {
  return inSchema(
    `${numbers.owner} + hashtext(${id})::bigint + 1`,
    `hashtextextended(current_schema()::text || ' ' || ${id}, ${numbers.owner})`,
  )
}

/** SQL expression of the channel that the triggers of this schema notify (migration 099). @param name SQL expression of type text */
export function channelName(name: string): string {
  return inSchema(name, `${name} || '_' || hashtextextended(current_schema()::text, 0)`)
}
