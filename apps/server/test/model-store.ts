import {
  asidesOf,
  type Changes,
  changesOf,
  didSomething,
  type EntryRow,
  endingsOf,
  entriesOf,
  holdsOf,
  marksOf,
  type Operation,
  type ProgressMark,
} from '../src/ledger/commit.ts'
import type { HoldRequest } from '../src/ledger/ledger.ts'
import type { Batch, LedgerStore } from '../src/ledger/ledger-store.ts'
import type { OpenHold } from '../src/ledger/open-hold.ts'
import { type SetAside, setAsideHold } from '../src/ledger/set-aside-row.ts'

/** The tables of the ledger as plain maps, in place of a database. */
export interface ModelTables {
  readonly users: Map<number, number>
  readonly tokens: Map<number, { remain: number; used: number }>
  readonly holds: Map<string, HoldRequest & { mark: ProgressMark | null }>
  readonly entries: Map<string, EntryRow>
  readonly accounts: Map<string, number>
  /** By request. */
  readonly setAside: Map<string, SetAside>
  /** What is refused, whatever else its batch has. */
  readonly isRefused: (operation: Operation) => boolean
}

/** The tables do not take a value of an operation. */
class Refusal extends Error {}

export interface ModelStore extends LedgerStore {
  /** Ends the process: its calls get no response anymore. */
  die(): void
}

/** Possible outcomes of one batch. */
type Fate = 'done' | 'slow' | 'lost' | 'answer-lost' | 'crash-before' | 'crash-after'
const fates: readonly Fate[] = ['slow', 'lost', 'answer-lost', 'crash-before', 'crash-after']

/** One process's access to the tables. A batch is written once, or perhaps not at all if the process dies; the delay is random. */
export function modelStore(tables: ModelTables, random: () => number, crashed: () => void): ModelStore {
  let isDead = false
  let isUp = true
  let lost = (): void => {}
  let line: Promise<void> = Promise.resolve()

  const draw = (): Fate => (random() < 0.9 ? 'done' : (fates[Math.floor(random() * fates.length)] ?? 'done'))
  const never = new Promise<never>(() => {})

  function die(): void {
    if (isDead) return
    isDead = true
    crashed()
  }

  async function outage(): Promise<void> {
    isUp = false
    lost()
    await turns(random)
    isUp = true
  }

  async function write(batch: Batch): Promise<void> {
    const fate = draw()
    if (fate === 'slow') await turns(random)
    if (fate === 'crash-before') die()
    // The connection breaks, and the same batch is sent again.
    if (fate === 'lost') await outage()
    if (isDead) return await never
    const results = writeBatch(tables, batch.operations)
    // It breaks after the commit: the number of the batch shows that it was committed, so it is not sent again.
    if (fate === 'answer-lost') await outage()
    if (fate === 'crash-after') die()
    if (isDead) return await never
    batch.apply(results, [])
  }

  /** Runs work one after another, as on one connection. */
  function alone(work: () => Promise<void>): Promise<void> {
    const result = line.then(work)
    line = result.catch(() => {})
    return result
  }

  return {
    shared: null,
    trouble: () => (isUp ? null : 'database_unavailable'),
    onLost(react) {
      lost = react
    },
    giveUp: () => {},
    commit: (batch) => alone(() => write(batch)),
    isRefusal: (error) => error instanceof Refusal,
    read: ({ userId, tokenId }, keep) =>
      alone(async () => {
        await Promise.resolve()
        const token = tables.tokens.get(tokenId)
        const limit = token === undefined ? null : { ...token, isUnlimited: false, forms: '' }
        if (isDead) return await never
        keep({ balance: tables.users.get(userId) ?? null, limit })
      }),
    die,
  }
}

/** Waits for a random number of turns of the event loop. */
export async function turns(random: () => number): Promise<void> {
  for (let count = Math.floor(random() * 4); count >= 0; count--) await new Promise((resolve) => setImmediate(resolve))
}

function addAll(totals: Map<string, number>, amounts: Changes['accounts']): void {
  for (const [name, amount] of amounts) totals.set(name, (totals.get(name) ?? 0) + Number(amount))
}

function writeBatch(tables: ModelTables, operations: readonly Operation[]): readonly boolean[] {
  const { holds, entries } = tables
  if (storedOf(operations).some(tables.isRefused)) throw new Refusal('a value is refused')
  for (const request of holdsOf(operations)) {
    if (holds.has(request.requestId)) throw new Error(`${request.requestId} is reserved twice`)
    holds.set(request.requestId, { ...request, mark: null })
  }
  const ended = new Set<Operation>(endingsOf(operations).filter(({ hold }) => holds.delete(hold.requestId)))
  writeAsides(tables, operations, ended)
  for (const mark of marksOf(operations)) {
    const hold = holds.get(mark.requestId)
    if (hold !== undefined) hold.mark = mark
  }
  const entered = new Set<Operation>()
  for (const { operation, row } of entriesOf(operations, ended)) {
    const name = `${row.kind} ${row.ref}`
    if (entries.has(name)) continue
    entries.set(name, row)
    entered.add(operation)
  }
  const done = { ended, entered }
  addUp(tables, changesOf(operations, done))
  return operations.map((operation) => didSomething(operation, done))
}

/** Without reservations that end in the same batch. */
function storedOf(operations: readonly Operation[]): readonly Operation[] {
  const isEnding = new Set(endingsOf(operations).map(({ hold }) => hold.requestId))
  return operations.filter((operation) => operation.do !== 'hold' || !isEnding.has(operation.request.requestId))
}

function writeAsides({ holds, setAside }: ModelTables, operations: readonly Operation[], ended: ReadonlySet<Operation>): void {
  for (const ending of endingsOf(operations)) if (ended.has(ending) && ending.resolves !== undefined) setAside.delete(ending.hold.requestId)
  for (const aside of asidesOf(operations)) {
    const { requestId, userId, tokenId, held: amount } = aside
    holds.set(requestId, { requestId, userId, tokenId, amount, modelName: '', mark: null })
    setAside.set(requestId, aside)
  }
}

function addUp({ users, tokens, accounts }: ModelTables, changes: Changes): void {
  for (const [id, { balance }] of changes.users) users.set(id, (users.get(id) ?? 0) + Number(balance))
  addAll(accounts, changes.accounts)
  for (const spent of [changes.spent, changes.spentAfter]) {
    for (const [id, amount] of spent) {
      const { remain, used } = tokens.get(id) ?? { remain: 0, used: 0 }
      tokens.set(id, { remain: remain - Number(amount), used: used + Number(amount) })
    }
  }
}

/** The open holds that the next start finds. */
export function leftHolds({ holds, setAside }: ModelTables): readonly OpenHold[] {
  return [...holds.values()].map(({ requestId, userId, tokenId, amount, modelName, mark }) => ({
    request_id: requestId,
    user_id: userId,
    token_id: tokenId,
    amount,
    model_name: modelName,
    task_id: setAside.has(requestId) ? setAsideHold : '',
    epoch: 0,
    leased: 0,
    token_leased: 0,
    created_at: 0,
    delivered_quota: mark?.amount ?? 0,
    channel_id: mark?.channelId ?? 0,
    prompt_tokens: mark?.promptTokens ?? 0,
    completion_tokens: mark?.completionTokens ?? 0,
    username: 'ann',
    token_name: 't',
  }))
}
