import { expect, test } from 'bun:test'
import pino from 'pino'
import { leftHolds, type ModelStore, type ModelTables, modelStore, turns } from '../../test/model-store.ts'
import { numbersFrom } from '../../test/numbers-from.ts'
import { AppError } from '../lib/app-error.ts'
import type { Deadline, Deadlines } from '../lib/deadlines.ts'
import type { Operation } from './commit.ts'
import { openLedger } from './create-ledger.ts'
import type { Hold, Ledger } from './ledger.ts'
import { plainLog } from './log-entry.ts'

// The ledger on tables that are slow, unavailable, refuse values, lose responses and crash, with a clock that jumps; driven by a seed and
// checked against the results its callers received. SIM_SEEDS sets the number of seeds, SEED runs one.

const log = pino({ level: 'silent' })
const steps = 200
const users = [1, 2, 3]
const start = 200
/** The maximum charge beyond the reservation: the last window of a stream. */
const excessMax = 10

/** The results that the caller of one request got. */
interface CallerResults {
  readonly hold: Hold
  readonly reserved: number
  /** Amounts requested as charges, in order. */
  readonly charges: number[]
  readonly noted: number[]
  isReleased: boolean
  /** The reservation was refused. */
  isRefused: boolean
  /** Resolved before the crash, so it must be permanent. */
  settled: number | null
}

interface World {
  readonly random: () => number
  readonly tables: ModelTables
  readonly results: Map<string, CallerResults>
  readonly posted: Set<string>
  readonly pending: Set<Promise<unknown>>
  readonly clock: { nowMs(): number; monotonicMs(): number }
  jump(): void
  process: { readonly ledger: Ledger; readonly store: ModelStore; readonly deadlines: ReturnType<typeof handDeadlines> } | null
  readonly wrong: string[]
  /** Requests whose reservation, mark or end the tables refuse. */
  readonly refused: Set<string>
  asides: number
  excess: number
  last: number
}

function createWorld(seed: number): World {
  const random = numbersFrom(seed)
  const refused = new Set<string>()
  let wallMs = 1_000_000_000_000
  let monotonicMs = 0
  return {
    random,
    tables: {
      users: new Map(users.map((id) => [id, 0])),
      tokens: new Map(users.map((id) => [id, { remain: 100_000, used: 0 }])),
      holds: new Map(),
      entries: new Map(),
      accounts: new Map([['sys:grant', -start * users.length]]),
      setAside: new Map(),
      isRefused: (operation) => refused.has(nameOf(operation)),
    },
    results: new Map(),
    posted: new Set(),
    pending: new Set(),
    clock: { nowMs: () => wallMs, monotonicMs: () => monotonicMs },
    jump() {
      // Wall time may jump either way; monotonic time never goes back.
      wallMs += Math.floor((random() - 0.5) * 2 * 3_600_000)
      monotonicMs += Math.floor(random() * 2_000)
      this.process?.deadlines.tick()
    },
    process: null,
    wrong: [],
    refused,
    asides: 0,
    excess: 0,
    last: 0,
  }
}

function nameOf(operation: Operation): string {
  if (operation.do === 'hold') return `hold ${operation.request.requestId}`
  if (operation.do === 'mark') return `mark ${operation.mark.requestId}`
  return operation.do === 'settle' || operation.do === 'release' ? `end ${operation.hold.requestId}` : ''
}

/** Without timers, so that a run is reproducible. */
function handDeadlines(clock: World['clock']): Deadlines & { tick(): void } {
  const running = new Map<Deadline, () => void>()
  return {
    start(afterMs, onDue) {
      const deadline = { at: clock.monotonicMs() + afterMs }
      running.set(deadline, onDue)
      return deadline
    },
    cancel: (deadline) => void running.delete(deadline),
    tick() {
      for (const [deadline, onDue] of running) if (deadline.at <= clock.monotonicMs() && running.delete(deadline)) onDue()
    },
  }
}

async function startProcess(world: World): Promise<void> {
  const { clock, tables, random } = world
  const store = modelStore(tables, random, () => {
    if (world.process?.store === store) world.process = null
  })
  const deadlines = handDeadlines(clock)
  const opened = openLedger({
    ledgerStore: store,
    left: leftHolds(tables),
    durable: async () => {},
    clock,
    deadlines,
    log,
    // A small limit, so that accounts are dropped from memory again and again.
    loadedMax: 2,
  })
  const died = turns(random).then(() => turns(random))
  // The start may crash as well; then another process starts.
  const ledger = await Promise.race([opened, died.then(() => null)])
  if (ledger === null) store.die()
  else world.process = { ledger, store, deadlines }
}

const whole = (world: World, max: number): number => Math.floor(world.random() * (max + 1))
const rowOf = (requestId: string, quota: number) =>
  plainLog({ userId: 1, createdAt: 0, type: 2, content: '', username: '', requestId, quota })

function anyCallerResults({ results, random }: World): CallerResults | undefined {
  // Most of the time one of the last requests, which may still be open.
  const all = [...results.values()].slice(random() < 0.8 ? -8 : 0)
  return all[Math.floor(random() * all.length)]
}

async function hold(world: World, ledger: Ledger): Promise<void> {
  const requestId = `r${++world.last}`
  const userId = users[whole(world, users.length - 1)] ?? 1
  const reserved = whole(world, 120)
  const result: CallerResults = {
    hold: { requestId, userId, tokenId: userId, amount: reserved },
    reserved,
    charges: [],
    noted: [],
    isReleased: false,
    isRefused: false,
    settled: null,
  }
  world.results.set(requestId, result)
  for (const what of ['hold', 'mark', 'end']) if (world.random() < 0.05) world.refused.add(`${what} ${requestId}`)
  const hold = await ledger.hold({ requestId, userId, tokenId: userId, amount: reserved, modelName: 'm' }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'token_invalid') world.wrong.push(`${requestId} found no account although there is one`)
    return null
  })
  if (hold === null) {
    result.isRefused = true
    return
  }
  let delivered = 0
  if (world.random() < 0.5)
    ledger.follow(hold, () => {
      delivered = Math.min(reserved, delivered + 1 + whole(world, 20))
      result.noted.push(delivered)
      return { amount: delivered, channelId: 1, promptTokens: 1, completionTokens: delivered }
    })
}

async function settle(world: World, ledger: Ledger): Promise<void> {
  const result = anyCallerResults(world)
  if (result === undefined) return
  const amount = whole(world, result.reserved + excessMax)
  world.excess += Math.max(0, amount - result.reserved)
  result.charges.push(amount)
  const isFirst = result.charges.length === 1 && !result.isReleased
  const { requestId } = result.hold
  await ledger.settle(result.hold, { amount, channelId: 1, log: rowOf(requestId, amount) })
  // Nothing is known of a request that was never reserved, or that another process resolved.
  if (isFirst && world.tables.entries.get(`consume ${requestId}`)?.amount === -amount) result.settled = amount
}

async function release(world: World, ledger: Ledger): Promise<void> {
  const result = anyCallerResults(world)
  if (result === undefined) return
  result.isReleased = true
  await ledger.release(result.hold, null)
}

async function post(world: World, ledger: Ledger): Promise<void> {
  const ref = `p${whole(world, 20)}`
  const userId = users[Number(ref.slice(1)) % users.length] ?? 1
  if (await ledger.post({ userId, kind: 'grant', ref, amount: 50 })) {
    if (world.posted.has(ref)) throw new Error(`${ref} was posted twice`)
    world.posted.add(ref)
  }
}

type Act = (world: World, ledger: Ledger) => Promise<unknown>
const acts: ReadonlyArray<readonly [upTo: number, act: Act]> = [
  [0.4, hold],
  [0.7, settle],
  [0.78, release],
  [0.84, post],
  [
    0.88,
    async (world, ledger) =>
      ledger.extend(anyCallerResults(world)?.hold ?? { requestId: '', userId: 0, tokenId: 0, amount: 0 }, whole(world, 20)),
  ],
  [0.985, async (world) => world.jump()],
  [1, async (world) => world.process?.store.die()],
]

async function step(world: World): Promise<void> {
  if (world.process === null) await startProcess(world)
  const ledger = world.process?.ledger
  if (ledger === undefined) return
  const picked = world.random()
  const act = acts.find(([upTo]) => picked < upTo)?.[1] ?? hold
  // Refusals are results, too; callers of a crashed process get none.
  const running = act(world, ledger).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('twice')) throw error
  })
  world.pending.add(running)
  if (world.random() < 0.5) await turns(world.random)
}

/** The invariants that must hold at the end of a run. */
function findWrong({
  tables: { users: balances, entries, holds, accounts },
  results,
  posted,
  excess,
  wrong: before,
}: World): readonly string[] {
  const wrong = [...before]
  for (const [id, balance] of balances) {
    const sum = [...entries.values()].filter(({ userId }) => userId === id).reduce((total, { amount }) => total + amount, 0)
    if (balance !== sum) wrong.push(`user ${id} has ${balance}, entries give ${sum} (I1)`)
    if (balance < -excess) wrong.push(`user ${id} is at ${balance}, more than ${excess} below nothing (I5)`)
  }
  const all = [...balances.values(), ...accounts.values()].reduce((sum, amount) => sum + amount, 0)
  if (all !== 0) wrong.push(`all accounts together have ${all} (I1)`)
  for (const ref of posted) if (!entries.has(`grant ${ref}`)) wrong.push(`${ref} was posted and is gone`)
  if (holds.size > 0) wrong.push(`${holds.size} reservations are open (I2)`)
  for (const [requestId, { charges, noted, settled }] of results) {
    const charged = -(entries.get(`consume ${requestId}`)?.amount ?? 0)
    if (settled !== null && charged !== settled) wrong.push(`${requestId} was settled at ${settled} and is charged ${charged}`)
    if (charged !== 0 && !charges.includes(charged) && !noted.includes(charged))
      wrong.push(`${requestId} is charged ${charged} out of nothing (I3)`)
  }
  return wrong
}

/** The violations in a process that has become idle, if it does not crash before. */
async function settleDown({ process, ...world }: World): Promise<readonly string[]> {
  if (process === null) return []
  let isQuiet = false
  void process.ledger.drain().then(() => {
    isQuiet = true
  })
  for (let turn = 0; turn < 50 && !isQuiet; turn++) await new Promise((resolve) => setImmediate(resolve))
  if (!isQuiet) return []
  const { users: balances, holds } = world.tables
  const apart = users.filter((id) => (process.ledger.balanceOf(id) ?? balances.get(id)) !== balances.get(id))
  const refusedHolds = [...holds.keys()].filter((requestId) => world.results.get(requestId)?.isRefused)
  return [
    ...apart.map((id) => `of user ${id} memory and store think differently`),
    ...refusedHolds.map((requestId) => `${requestId} was refused and is reserved`),
  ]
}

async function run(seed: number): Promise<World> {
  const world = createWorld(seed)
  for (const id of users) world.tables.entries.set(`grant start${id}`, grant(id))
  for (const id of users) world.tables.users.set(id, start)
  for (let count = 0; count < steps; count++) await step(world)
  // The last process becomes idle, or crashes and leaves its reservations to a new one.
  world.wrong.push(...(await settleDown(world)))
  world.process?.store.die()
  const peace = () => 0
  const store = modelStore(world.tables, peace, () => {})
  const deadlines = handDeadlines(world.clock)
  const { clock, tables } = world
  const ledger = await openLedger({
    ledgerStore: store,
    left: leftHolds(tables),
    durable: async () => {},
    clock,
    deadlines,
    log,
  })
  await ledger.drain()
  // What the tables refused is there, once and with its reservation, and can be charged when they take it.
  world.asides = tables.setAside.size
  world.refused.clear()
  for (const { requestId, userId, tokenId, amount, held } of [...tables.setAside.values()]) {
    const end = {
      kind: 'settle' as const,
      hold: { requestId, userId, tokenId, amount: held },
      settlement: { amount, channelId: 1, log: null },
    }
    const resolution = { id: 1, state: 'retried' as const, charged: amount, by: 1, remark: '' }
    if (!(await ledger.endSetAside(end, resolution))) world.wrong.push(`${requestId} was set aside and has no reservation`)
    if (await ledger.endSetAside(end, resolution)) world.wrong.push(`${requestId} was ended twice`)
  }
  return world
}

const grant = (userId: number) => ({
  kind: 'grant',
  ref: `start${userId}`,
  userId,
  tokenId: 0,
  channelId: 0,
  account: 'sys:grant',
  amount: start,
})

const one = process.env['SEED']
/** A fault that one life in eighty shows is missed by one run in two thousand. */
const usualSeeds = 600
const seeds = one === undefined ? Number(process.env['SIM_SEEDS'] ?? usualSeeds) : 1

test(
  `in ${seeds} simulated lives with crashes, outages, lost responses, refused values, repeats and jumping clocks no unit is lost, invented or charged twice (I1-I5)`,
  async () => {
    const first = Number(one ?? crypto.getRandomValues(new Uint32Array(1))[0])
    console.log(`SEED=${first}${one === undefined ? ` and the ${seeds - 1} after it` : ''}`)
    const charged = { asSettled: 0, asNoted: 0, setAside: 0 }
    for (let index = 0; index < seeds; index++) {
      const world = await run(first + index)
      expect([`SEED=${first + index}`, ...findWrong(world)]).toEqual([`SEED=${first + index}`])
      charged.setAside += world.asides
      for (const [requestId, { charges, noted, settled }] of world.results) {
        const amount = -(world.tables.entries.get(`consume ${requestId}`)?.amount ?? 0)
        if (settled !== null) charged.asSettled += 1
        else if (charges.length === 0 && noted.includes(amount)) charged.asNoted += 1
      }
    }
    // A run without any charge would prove nothing.
    console.log(charged)
    expect(Math.min(charged.asSettled, charged.asNoted, charged.setAside)).toBeGreaterThan(seeds / 10)
  },
  20_000 + seeds * 100,
)
