import { type Accounts, createAccounts } from '../src/ledger/accounts.ts'
import type { LeaseResult } from '../src/ledger/commit.ts'
import { type Freed, leasedQuota, type Payer } from '../src/ledger/quota-rules.ts'
import { addNode, applyBatch, closeDead, type ModelBooks, type ModelChange, openBooks, sweepOne } from './model-leases.ts'
import { numbersFrom } from './numbers-from.ts'

// Nodes that share one account and one token, driven by a seed: batches are late, responses are late, nodes die, are declared dead while
// they live, and are replaced. The books refuse some ends of reservations, whatever else is in their batch: those are set aside. Which
// leases they request and give back is random too, so that nothing depends on how well they choose.

interface OpenRequest {
  held: number
  /** Its reservation is in the books or on its way there. */
  isStored: boolean
}

interface ModelNode {
  readonly epoch: number
  readonly accounts: Accounts
  readonly open: Map<string, OpenRequest>
  queue: ModelChange[]
  /** Responses to a batch that is applied and of which the node does not know yet. */
  responses: readonly LeaseResult[] | null
  readonly asking: Set<Payer['of']>
}

export interface LeaseWorld {
  readonly books: ModelBooks
  readonly nodes: ModelNode[]
  /** What was set aside: what it was to charge, and what was reserved. */
  readonly asides: Map<string, { readonly amount: number; readonly held: number }>
  /** Requests of which the books refuse the end. */
  readonly refused: Set<string>
  /** Charged beyond reservations: the last window of a stream, and what an administrator charges beyond what a row has kept. */
  excess: number
  posted: number
  /** The lowest that changes by administrators may have taken the balance below what was leased. */
  withdrawn: number
  lastEpoch: number
  lastRequest: number
  readonly whole: (max: number) => number
}

const start = 300
/** The token's limit for a day, which is lower than what it may spend in all. */
const usedMax = 400
const payers = [
  { of: 'user', id: 1 },
  { of: 'token', id: 1 },
] as const

export function createLeaseWorld(seed: number): LeaseWorld {
  const random = numbersFrom(seed)
  const world: LeaseWorld = {
    books: openBooks(start, start + 200),
    nodes: [],
    asides: new Map(),
    refused: new Set(),
    excess: 0,
    posted: 0,
    withdrawn: 0,
    lastEpoch: 0,
    lastRequest: 0,
    whole: (max) => Math.floor(random() * (max + 1)),
  }
  for (let count = 1 + world.whole(3); count > 0; count--) startNode(world)
  return world
}

function startNode(
  { books, nodes, ...world }: LeaseWorld,
  epoch = nodes.reduce((last, node) => Math.max(last, node.epoch), world.lastEpoch) + 1,
): void {
  addNode(books, epoch)
  const accounts = createAccounts({ store: { read: async () => {} }, rules: leasedQuota })
  const limit = { remain: 0, isUnlimited: false, used: 0, forms: '' }
  for (const payer of payers) accounts.fund({ ...payer, granted: 0, balance: 0, limit: payer.of === 'user' ? null : limit })
  nodes.push({ epoch, accounts, open: new Map(), queue: [], responses: null, asking: new Set() })
}

type Act = (world: LeaseWorld, node: ModelNode) => void

/** What a step does, and how often in a hundred. */
const acts: ReadonlyArray<readonly [share: number, act: Act]> = [
  [3, post],
  [5, ({ books }) => sweepOne(books)],
  [3, ({ books }) => closeDead(books)],
  [2, replaceNode],
  [3, die],
  [2, declareDead],
  [4, endAside],
  [18, hold],
  [5, extend],
  [5, mark],
  [15, end],
  [5, giveBack],
  [4, obeyRecall],
  [14, flush],
  [12, (_, node) => deliver(node)],
]

/** One random step of a random node, of an administrator, or of time. */
export function step(world: LeaseWorld): void {
  const { nodes, whole } = world
  const node = nodes[whole(nodes.length - 1)]
  if (node === undefined) {
    replaceNode(world)
    return
  }
  let left = whole(99)
  for (const [share, act] of acts) {
    if (left < share) {
      act(world, node)
      return
    }
    left -= share
  }
}

const tooMuch = new Error('too much for a day')
const ceiling = { usedMax, refusal: () => tooMuch }

function hold(world: LeaseWorld, node: ModelNode): void {
  const requestId = `r${++world.lastRequest}`
  const amount = world.whole(90)
  const request = { requestId, userId: 1, tokenId: 1, amount, least: Math.ceil(amount / 2), modelName: 'm', ceiling }
  if (node.accounts.isLacking(request)) {
    const lack = node.accounts.lackOf(request)
    for (const payer of payers) if (lack[payer.of] > 0) ask(node, payer, { need: lack[payer.of], amount, want: world.whole(200) })
    return
  }
  const held = takeBelowLimit(node, request)
  if (held === null) return
  // Not every reservation is stored before it ends.
  const isStored = world.whole(1) === 0
  node.open.set(requestId, { held, isStored })
  if (isStored) node.queue.push({ do: 'hold', requestId })
}

/** `null`: what was charged beyond the leases leaves less below the limit than the lease has. */
function takeBelowLimit({ accounts }: ModelNode, request: Parameters<ModelNode['accounts']['take']>[0]): number | null {
  try {
    return accounts.take(request)
  } catch (error) {
    if (error === tooMuch) return null
    throw error
  }
}

function ask(node: ModelNode, payer: Payer, amounts: { readonly need: number; readonly amount: number; readonly want: number }): void {
  if (node.asking.has(payer.of)) return
  node.asking.add(payer.of)
  node.queue.push({ do: 'ask', ask: { ...payer, ...amounts, usedMax: payer.of === 'user' ? null : usedMax, giveBack: 0 } })
}

function anyOpen({ open }: ModelNode, { whole }: LeaseWorld): readonly [string, OpenRequest] | undefined {
  return [...open][whole(Math.max(0, open.size - 1))]
}

function extend(world: LeaseWorld, node: ModelNode): void {
  const openHold = anyOpen(node, world)
  if (openHold === undefined) return
  const more = world.whole(30)
  if (node.accounts.takeMore(openHold[0], more)) openHold[1].held += more
}

function mark(world: LeaseWorld, node: ModelNode): void {
  const openHold = anyOpen(node, world)
  if (openHold?.[1].isStored) node.queue.push({ do: 'mark', requestId: openHold[0], delivered: world.whole(openHold[1].held) })
}

function end(world: LeaseWorld, node: ModelNode): void {
  const openHold = anyOpen(node, world)
  if (openHold === undefined) return
  const [requestId, { held, isStored }] = openHold
  const isOver = world.whole(9) === 0
  const amount = isOver ? held + world.whole(10) : world.whole(held)
  world.excess += Math.max(0, amount - held)
  node.open.delete(requestId)
  const freed = node.accounts.resolve(requestId, amount)
  if (freed !== null) node.queue.push({ do: 'end', requestId, amount, freed, isStored })
  if (world.whole(3) === 0) world.refused.add(requestId)
}

/** Something that was set aside is ended on any node: with its own amount or another one, and the books may refuse it again. */
function endAside(world: LeaseWorld, node: ModelNode): void {
  const { asides, books, whole } = world
  const aside = [...asides][whole(Math.max(0, asides.size - 1))]
  if (aside === undefined) return
  const [requestId, { amount: own, held }] = aside
  const amount = whole(1) === 0 ? own : whole(Math.max(own, held))
  const freed = node.accounts.spendBeyond(1, amount - held)
  const kept = books.asides.get(requestId) ?? freed
  world.excess += Math.max(0, amount - kept.user - freed.user, amount - kept.token - freed.token)
  if (whole(2) === 0) world.refused.add(requestId)
  else world.refused.delete(requestId)
  node.queue.push({ do: 'end-aside', requestId, amount, freed })
}

function giveBack({ whole }: LeaseWorld, node: ModelNode): void {
  const payer = payers[whole(1)] ?? payers[0]
  giveBackOf(node, payer)
}

function giveBackOf(node: ModelNode, payer: Payer): void {
  if (node.asking.has(payer.of)) return
  node.asking.add(payer.of)
  const amounts = { need: 0, amount: 0, want: 0, usedMax: null }
  node.queue.push({ do: 'ask', ask: { ...payer, ...amounts, giveBack: node.accounts.draw(payer) } })
}

function obeyRecall({ books, whole }: LeaseWorld, node: ModelNode): void {
  for (const payer of payers) {
    const isRecalled = books.nodes.get(node.epoch)?.isRecalled[payer.of] === true
    if (isRecalled || whole(3) === 0) node.accounts.setTight(payer, isRecalled)
    if (isRecalled) giveBackOf(node, payer)
  }
}

/**
 * The next batch begins when the response to the previous one has arrived. What is refused of it is set aside after what was before it is
 * committed.
 */
function flush(world: LeaseWorld, node: ModelNode): void {
  if (node.responses !== null) return
  const isRefused = (change: ModelChange): boolean => isEnd(change) && world.refused.has(change.requestId)
  while (node.queue.some(isRefused)) {
    const place = node.queue.findIndex(isRefused)
    const [change] = node.queue.slice(place)
    commit(world, node, place)
    if (change === undefined || node.responses === null) return
    deliver(node)
    setAside(world, node, change)
  }
  commit(world, node, node.queue.length)
}

type EndChange = Extract<ModelChange, { do: 'end' | 'end-aside' }>

function isEnd(change: ModelChange): change is EndChange {
  return change.do === 'end' || change.do === 'end-aside'
}

/** Commits the first changes that wait. */
function commit(world: LeaseWorld, node: ModelNode, count: number): void {
  const { asides, books, nodes } = world
  const changes = node.queue.splice(0, count)
  const open = new Set(books.asides.keys())
  node.responses = applyBatch(books, node.epoch, changes)
  // It was declared dead, and ends.
  if (node.responses === null) nodes.splice(nodes.indexOf(node), 1)
  else for (const change of changes) if (change.do === 'end-aside') concludeAside(node, change, open.delete(change.requestId))
  for (const requestId of asides.keys()) if (books.entries.has(requestId)) asides.delete(requestId)
}

/** Whoever ends the same a second time gets back what that took. */
function concludeAside({ accounts }: ModelNode, { requestId, freed }: EndChange, isEnded: boolean): void {
  if (!isEnded) accounts.takeBack({ hold: { requestId, userId: 1, tokenId: 1 }, freed })
}

/** As the ledger does: memory keeps the reservation, and its row gets what that took from the leases. */
function setAside(world: LeaseWorld, node: ModelNode, change: ModelChange): void {
  if (!isEnd(change)) return
  const { requestId, amount, freed } = change
  const kept = node.accounts.keepHold({ hold: { requestId, userId: 1, tokenId: 1 }, freed }, amount)
  const isOwned = change.do === 'end'
  node.queue[0] = { do: 'aside', requestId, kept, isOwned }
  commit(world, node, 1)
  if (node.responses === null) return
  node.responses = null
  if (isOwned) world.asides.set(requestId, { amount, held: freed.held ?? 0 })
  world.refused.delete(requestId)
}

function deliver(node: ModelNode): void {
  for (const response of node.responses ?? []) {
    node.accounts.fund(response)
    node.asking.delete(response.of)
  }
  node.responses = null
}

function post(world: LeaseWorld): void {
  const { books, whole } = world
  const amount = whole(100) - 30
  if (amount < 0) world.withdrawn -= amount
  world.posted += amount
  books.quota += amount
}

function die(world: LeaseWorld, node: ModelNode): void {
  world.nodes.splice(world.nodes.indexOf(node), 1)
  world.lastEpoch = Math.max(world.lastEpoch, node.epoch)
}

/** Also of a node that was only unreachable. */
function declareDead({ books }: LeaseWorld, { epoch }: ModelNode): void {
  const row = books.nodes.get(epoch)
  if (row !== undefined) row.isLive = false
}

/** What is not running any more is declared dead, and another takes its place. */
function replaceNode(world: LeaseWorld): void {
  for (const [epoch, row] of world.books.nodes) if (!world.nodes.some((node) => node.epoch === epoch)) row.isLive = false
  if (world.nodes.length < 4) startNode(world, ++world.lastEpoch + 100)
}

/** What does not hold now. */
export function violations({ books, nodes, asides, excess, posted, withdrawn }: LeaseWorld): readonly string[] {
  const rows = [...books.nodes.values()]
  const sum = (of: 'user' | 'token', ofWhom = rows): number => ofWhom.reduce((total, row) => total + row[of], 0)
  const live = rows.filter(({ isLive }) => isLive)
  const kept = (of: 'user' | 'token'): number => [...books.asides.values()].reduce((total, row) => total + row[of], 0)
  const spent = [...books.entries.values()].reduce((total, amount) => total + amount, 0)
  const rules: readonly (readonly [boolean, string])[] = [
    [
      books.leased === sum('user') + kept('user') && books.tokenLeased === sum('token') + kept('token'),
      'what is leased is what nodes have and what was set aside',
    ],
    [[...asides.keys()].every((requestId) => books.asides.has(requestId)), 'nothing that was set aside is lost'],
    [
      [...asides].every(([requestId, { amount, held }]) => hasRest(books.asides.get(requestId), Math.min(amount, held))),
      'what was set aside has kept what it was to charge',
    ],
    [[...books.asides.keys()].every((requestId) => !books.entries.has(requestId)), 'nothing that was set aside is charged'],
    [rows.every(({ user, token }) => user >= 0 && token >= 0), 'no lease is negative'],
    [books.quota === start + posted - spent && books.used === spent, 'every balance is the sum of its entries'],
    [
      books.quota - sum('user', live) - kept('user') >= -excess - withdrawn,
      'the leases of live nodes and what was set aside are covered by the balance',
    ],
    [books.used + sum('token', live) + kept('token') <= usedMax + excess, 'the leases of a token keep to its limit for a day'],
    [nodes.every((node) => isKnown(books, node)), 'a node may spend no more than the books say that it has'],
  ]
  return rules.filter(([holds]) => !holds).map(([, rule]) => rule)
}

const hasRest = (kept: Pick<Freed, 'user' | 'token'> | undefined, amount: number): boolean =>
  kept !== undefined && kept.user >= amount && kept.token >= amount

/** The lease in memory, with what is on its way to and from the books, is that of the books. */
function isKnown(books: ModelBooks, { epoch, accounts, open, queue, responses }: ModelNode): boolean {
  const row = books.nodes.get(epoch)
  if (row === undefined || !row.isLive) return true
  const held = [...open.values()].reduce((total, request) => total + request.held, 0)
  return payers.every((payer) => {
    const freed = queue.reduce((total, change) => total + leaving(change)[payer.of], 0)
    const granted = (responses ?? []).reduce((total, response) => total + (response.of === payer.of ? response.granted : 0), 0)
    return (accounts.freeOf(payer) ?? 0) + held + freed + granted === row[payer.of]
  })
}

function leaving(change: ModelChange): Freed {
  if (isEnd(change)) return change.freed
  if (change.do !== 'ask') return { user: 0, token: 0 }
  const { of, giveBack: amount } = change.ask
  return of === 'user' ? { user: amount, token: 0 } : { user: 0, token: amount }
}

/** Ends all requests, and lets all nodes stop and be swept. */
export function settleDown(world: LeaseWorld): void {
  for (const node of [...world.nodes]) {
    deliver(node)
    flush(world, node)
    deliver(node)
    while (node.open.size > 0) end(world, node)
    for (const payer of payers) giveBackOf(node, payer)
    flush(world, node)
    deliver(node)
  }
  world.nodes.length = 0
  endAsides(world)
  for (const row of world.books.nodes.values()) row.isLive = false
  while (world.books.holds.size > 0) sweepOne(world.books)
  closeDead(world.books)
}

/** From now on the books take everything: another node ends what was set aside. */
function endAsides(world: LeaseWorld): void {
  world.refused.clear()
  startNode(world, world.lastEpoch + 1_000)
  const [node] = world.nodes
  for (const [requestId, { amount, held }] of world.asides)
    node?.queue.push({ do: 'end-aside', requestId, amount, freed: node.accounts.spendBeyond(1, amount - held) })
  if (node !== undefined) flush(world, node)
  world.nodes.length = 0
}
