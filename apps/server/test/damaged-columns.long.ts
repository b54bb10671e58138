import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type Endpoint } from '@sluice/contract'
import type { Session } from './app.ts'
import { columnsOf, type DamagedColumn, type DamageValue, damagesOf, type Victim, victimOf } from './damaged-columns.ts'
import { changeRow, type DamagedScene, damagedScene, readEverything, readersOf, relayEverything, runEverything } from './damaged-scene.ts'
import { sendRaw } from './endpoints.ts'
import { openTestStore } from './stores.ts'

// One row of every table is damaged in one column at a time: no call fails because of it, other rows are shown, every job goes on, and the row
// can be deleted. Columns come from the database itself, so a new one is damaged too.

/** Tables that are not damaged, and why. */
const leftOut: Readonly<Record<string, string>> = {
  kysely_migration: 'a migration that is not known stops the start, which says so',
  kysely_migration_lock: 'as above',
  sqlite_sequence: "the engine's own",
  ledger: 'its entries are the balances: where they are wrong the check says so, and nothing is guessed (verify, reconcile)',
  ledger_accounts: 'as above',
  master_key: 'read at the start only, which lost-key.test.ts is about',
}

const store = await openTestStore()
const tables = await columnsOf(store.db)
await store.close()
const damagedTables = [...tables.keys()].filter((table) => !Object.hasOwn(leftOut, table) && !/^logs_/.test(table)).toSorted()

let scene: DamagedScene
let before: ReadonlyMap<string, readonly unknown[]>
beforeAll(async () => {
  scene = await damagedScene()
  before = new Map((await readEverything(scene)).map(({ call, ids }) => [call, ids]))
}, 60_000)
afterAll(() => scene.app.close())

const removals: Readonly<Record<string, readonly [noun: string, endpoint: Endpoint, as: () => Session]>> = {
  channels: ['channel', contract.channel.remove, () => scene.admin],
  tokens: ['token', contract.token.remove, () => scene.owner],
  redemptions: ['redemption', contract.redemption.remove, () => scene.admin],
  notification_rules: ['notification', contract.notification.remove, () => scene.admin],
}

/** @returns what went wrong while the row was damaged */
async function faultsOf(table: string, victim: Victim, readers: ReadonlySet<string>): Promise<readonly string[]> {
  const responses = [...(await changeRow(scene, table)), ...(await readEverything(scene, (call) => readers.has(call)))]
  const failed = responses.filter(({ status }) => status >= 500).map(({ call, status, text }) => `${call}: ${status} ${text}`)
  // Lists of what is added all the time show other rows each time.
  const lost = responses.flatMap(({ call, ids }) => {
    if (/^(?:log\.|notification\.history|channel\.board)/.test(call)) return []
    // The account of the damaged row: it may be refused like one that is banned, and with another id it has no rows.
    if (table === 'users' && call.endsWith('by owner')) return []
    const missing = (before.get(call) ?? []).filter((id) => !ids.includes(id) && id !== victim.row['id'] && id !== victim.row['public_id'])
    return missing.length > 0 ? [`${call} does not show ${missing}`] : []
  })
  return [...failed, ...lost, ...(await relayEverything(scene)), ...(await runEverything(scene))]
}

/** Columns that forbid to delete a row. */
const keepsRow: Readonly<Record<string, string>> = {
  'redemptions.used_user_id': 'a code that was redeemed is not deleted before the ledger has its credit',
  'redemptions.status': 'as above',
  'tokens.user_id': 'only its owner deletes a token, and it has none then',
  'notification_rules.user_id': 'only its owner deletes a rule, which is another one where the engine rounds the id',
}

/** Amounts of the ledger in other tables. The check of the books stops at what is no whole number, and says so: nothing is guessed. */
const amounts: ReadonlySet<string> = new Set([
  ...[
    'users.quota',
    'users.used_quota',
    'users.leased',
    'tokens.remain_quota',
    'tokens.used_quota',
    'tokens.leased',
    'channel_usage.used_quota',
  ],
])

async function removeRow(table: string): Promise<readonly string[]> {
  const removal = removals[table]
  if (removal === undefined) return []
  const [noun, endpoint, as] = removal
  const text = await (await sendRaw(scene.app, endpoint, { as: as(), input: scene.inputs[noun] ?? {} })).text()
  return text.includes('"success":true') ? [] : [`${noun}.remove: ${text.slice(0, 300)}`]
}

const valueText = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value).slice(0, 40))

/** Tables whose rows people work with: each of their columns is damaged alone. Those of others are damaged together, which takes less time. */
const ofPeople: ReadonlySet<string> = new Set([
  ...['users', 'tokens', 'channels', 'redemptions', 'options', 'logs', 'tasks', 'task_files', 'kept_answers', 'changes', 'passkeys'],
  ...['notification_rules', 'notification_deliveries', 'second_factors', 'access_tokens', 'ledger_set_aside', 'task_characters'],
])

interface Damage {
  readonly name: string
  readonly to: readonly (readonly [DamagedColumn, DamageValue])[]
  readonly hasKey: boolean
}

function damagesIn(table: string, columns: readonly DamagedColumn[]): readonly Damage[] {
  const alone = columns.flatMap((column) =>
    damagesOf(column)
      .filter((value) => Number.isInteger(value) || !amounts.has(`${table}.${column.column}`))
      .filter((value) => typeof value !== 'bigint' || !isSummed(column))
      .map((value): Damage => ({ name: `${column.column} = ${valueText(value)}`, to: [[column, value]], hasKey: column.isKey })),
  )
  if (ofPeople.has(table)) return alone
  const others = columns.filter((column) => !column.isKey)
  const most = Math.max(...others.map((column) => damagesOf(column).length), 0)
  const together = Array.from({ length: most }, (_, round): Damage => {
    const to = others.filter(({ column }) => !amounts.has(`${table}.${column}`)).map((column) => [column, valueFor(column, round)] as const)
    return { name: `all columns, round ${round}`, to, hasKey: false }
  })
  return [...together, ...alone.filter(({ hasKey }) => hasKey)]
}

/** The engine refuses sums beyond the range of its numbers, and nothing but damage stores such a count. */
const isSummed = ({ table, isNumber }: DamagedColumn): boolean => isNumber && table.startsWith('usage_')

function valueFor(column: DamagedColumn, round: number): DamageValue {
  const value = damagesOf(column).at(round) ?? null
  return typeof value === 'bigint' && isSummed(column) ? 0 : value
}

describe.each(damagedTables)('a damaged row of %s', (table) => {
  test('fails no call and no job, and hides no other row', async () => {
    const { db } = scene.app.app.store
    const columns = tables.get(table) ?? []
    const readers = await readersOf(scene, table)
    const victim = await victimOf(db, table, columns)
    const usage = table === 'channels' ? await victimOf(db, 'channel_usage', tables.get('channel_usage') ?? []) : null
    const faults: string[] = []
    for (const { name, to, hasKey } of damagesIn(table, columns)) {
      const isKept = hasKey || to.some(([{ column }]) => Object.hasOwn(keepsRow, `${table}.${column}`))
      const taken: boolean[] = []
      for (const [column, value] of to) taken.push(await victim.damage(column, value))
      if (taken.includes(true)) {
        const failed = [...(await faultsOf(table, victim, readers)), ...(isKept ? [] : await removeRow(table))]
        faults.push(...failed.map((fault) => `${table}.${name}: ${fault}`))
      }
      await victim.restore()
      await usage?.restore()
    }
    if (faults.length > 0) console.log(faults.join('\n'))
    expect(faults.slice(0, 20)).toEqual([])
  }, 600_000)
})
