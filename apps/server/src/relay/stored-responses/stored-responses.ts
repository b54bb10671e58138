import type { Settings } from '@sluice/contract'
import { bodyUseOf } from '@sluice/vendors/protocols/bodies/body-use'
import { withHistory } from '@sluice/vendors/protocols/responses/history'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { daySeconds } from '../../lib/day.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Billing, Charge } from '../billing/billing.ts'
import type { ReadRequest } from '../ingress/read-request.ts'
import type { Caller } from '../model/caller.ts'
import { type Channel, type ChannelMap, modelAt, type Route } from '../model/channel.ts'
import type { Maker, RequestParams, UncountedInput } from '../model/request-params.ts'
import type { ResponseEnd } from '../model/upstream-response.ts'
import { addUncounted } from '../pricing/prompt-media.ts'
import { withUnreadText } from '../pricing/unread-text.ts'
import { tierOf } from '../routing/candidates.ts'
import type { Channels } from '../routing/channels.ts'
import type { CapabilityCache } from '../upstream/capability-cache.ts'
import { deleteResponsesBefore, findResponse, saveResponses } from './response-queries.ts'
import { createResponseRoom, type StorageSettings } from './response-room.ts'
import { createStoredItems, idMax, rowsAtOnce } from './stored-items.ts'
import { createStoredTurns, type OwnResponse } from './stored-turns.ts'

/** Responses that can be referred to: owner and channel of each. The content is at the vendor, or sealed here if it stores none. */
export interface StoredResponses {
  /** Stores the channel of a response and its items, and items that no vendor stores. Never rejects: the response was already made. */
  keep(charge: Charge, end: Pick<ResponseEnd, 'storedId' | 'items' | 'usage'>): Promise<void>
  /** The channel that made a response of this account. @throws AppError response_not_found, response_unreachable */
  channelOf(caller: Caller, id: string): Promise<Channel>
  /** Replaces references by the stored items, and records the makers of the remaining ones. @throws AppError response_not_found */
  resolve(read: ReadRequest, caller: Caller): Promise<ReadRequest>
  /**
   * Limits the channels to those that know what the request refers to; those that can read its reasoning come first.
   * @throws AppError response_not_found, response_unreachable
   */
  narrow(route: Route, caller: Caller, read: ReadRequest): Promise<Narrowed>
  forget(caller: Caller, id: string): Promise<void>
  /**
   * What to store of the input of a request that may go to a vendor without stored responses. If the input is too long, or an option says
   * that nothing is stored, the request says `store: false`, as its response will.
   */
  storable(read: ReadRequest, tiers: Route['tiers']): Storable
  /** Stores it. Never rejects: without it, the response cannot be followed. */
  begin(charge: Pick<Charge, 'requestId' | 'caller' | 'createdAt' | 'params'>, begun: Begun): Promise<void>
  /** Whether `begin` stored something for a request that is not over. */
  isBegun(charge: Pick<Charge, 'requestId'>): boolean
  /** Removes what `begin` stored, if the request brought no response that is stored here. */
  over(charge: Pick<Charge, 'requestId' | 'caller'>, end: Pick<ResponseEnd, 'items'>): Promise<void>
  /** A response that no vendor stores. `null`: there is none with this id. */
  own(caller: Caller, id: string): Promise<OwnResponse | null>
}

/** The channels that know what a request refers to, and the request with what its vendor reads of that. */
export interface Narrowed extends Pick<Route, 'tiers' | 'types'> {
  readonly read: ReadRequest
}

/** A request whose channels are known, and the text of its turn; `null`: nothing of it is stored here. */
export interface Storable {
  readonly read: ReadRequest
  readonly text: string | null
}

export interface Begun extends Pick<Storable, 'text'> {
  /** The id that its response will have, if a vendor without responses makes it. */
  readonly id: string
}

/** Who follows a response, and the channels that may serve that. */
interface Follower {
  readonly caller: Caller
  readonly usable: readonly Channel[]
  readonly model: string
}

/** The channel that made a response, and the tokens of both sides of it. */
interface ResponseMaker {
  readonly channel: Channel
  readonly tokens: number | null
}

interface StoredResponsesDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly log: Logger
  readonly channels: Channels
  readonly capabilities: Pick<CapabilityCache, 'vendorOf' | 'has'>
  readonly settings: () => Pick<Settings, 'ResponseRetentionDays'> & StorageSettings
}

/** OpenAI keeps responses for 30 days ("Conversation state", a stored copy read 2026-11-21), so older references are useless. */
const keptSeconds = 30 * daySeconds
/** Rows deleted per statement, so that other writes do not wait long. */
const sweepRows = 1_000

export function createStoredResponses({ db, seal, clock, log, channels, capabilities, settings }: StoredResponsesDeps): StoredResponses {
  /** Days that content is kept here; 0 = none is. */
  const keptDays = (): number => settings().ResponseRetentionDays
  /** A response belongs to the vendor account that made it: with another key of the channel it is not found. */
  const keyLookup = ({ key }: Channel): string => seal.lookup(key, 'kept-answer')

  async function findMaker(map: ChannelMap, caller: Caller, id: string): Promise<ResponseMaker> {
    const since = nowSeconds(clock) - keptSeconds
    const row = id.length > idMax ? undefined : await findResponse(db, { viewer: caller, id, since })
    if (row === undefined) throw new AppError('response_not_found', { params: { id: id.slice(0, 80) } })
    const channel = map.all.get(row.channel_id)
    const isReachable =
      channel?.isEnabled === true && channel.groups.some((group) => caller.groups.includes(group)) && keyLookup(channel) === row.key_lookup
    if (!isReachable) throw new AppError('response_unreachable', { params: { id } })
    return { channel, tokens: row.tokens }
  }

  async function findFollowed(id: string, { caller, usable, model }: Follower): Promise<ResponseMaker> {
    if (usable.every((channel) => storeOf(channel, model) === 'gateway'))
      throw new AppError('response_not_found', { params: { id: id.slice(0, 80), name: 'previous_response_id' } })
    return await findMaker(await channels.current(), caller, id)
  }

  const items = createStoredItems({ db, seal, keyLookup, keepsContent: () => keptDays() > 0 })
  const turns = createStoredTurns({ db, seal })
  const room = createResponseRoom({ db, settings })
  /** Requests whose input was stored, with the id of their response. */
  const begun = new Map<string, string>()
  /** Of content that is kept here. */
  const readBy = (viewer: Caller) => ({ viewer, since: nowSeconds(clock) - keptDays() * daySeconds })

  /** Who stores a response of this model: the vendor, the gateway because a chat serves it, or one of them, as its response will show. */
  function storeOf(channel: Channel, model: string): 'vendor' | 'gateway' | 'either' {
    const vendor = capabilities.vendorOf(channel)
    if (dialectOf(vendor, 'responses', modelAt(channel, model))?.fallbackKind !== undefined) return 'gateway'
    return vendor.optionalKinds?.responses !== undefined && !capabilities.has(channel, 'responses') ? 'either' : 'vendor'
  }

  /** The input of a request without a response of ours is not kept. */
  async function over({ requestId, caller }: Pick<Charge, 'requestId' | 'caller'>, end: Pick<ResponseEnd, 'items'>): Promise<void> {
    const id = begun.get(requestId)
    begun.delete(requestId)
    if (id !== undefined && end.items?.some((item) => item.id === id) !== true) await turns.remove(id, caller)
  }

  async function makeRoom({ userId }: Caller, bytes: number): Promise<void> {
    if (bytes > 0) await room.stored(userId, bytes)
  }

  return {
    async keep(charge, end) {
      const rows = items.rowsOf(charge, end, nowSeconds(clock))
      try {
        await over(charge, end)
        for (let start = 0; start < rows.length; start += rowsAtOnce) await saveResponses(db, rows.slice(start, start + rowsAtOnce))
        await makeRoom(
          charge.caller,
          rows.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
        )
      } catch (err) {
        log.error({ err, requestId: charge.requestId }, 'stored response location not saved')
      }
    },
    async resolve(read, caller) {
      const by = readBy(caller)
      const since = Math.min(by.since, nowSeconds(clock) - keptSeconds)
      const resolved = await items.resolve(read.body, { ...by, since })
      const { body, makers } = resolved ?? { body: read.body, makers: [] }
      const { follows } = read.params
      const history = follows === undefined ? null : await turns.history(follows, by)
      const turn = { input: body['input'] ?? null, previous: history === null ? null : (follows ?? null) }
      if (resolved === null && history === null) return { ...read, turn }
      const wholeBody = history === null ? body : withHistory(body, history)
      const { rules } = read
      const params = { ...withUnreadText(rules.read(wholeBody, {}), rules.kind, wholeBody), use: bodyUseOf(rules.kind, wholeBody) }
      return { ...read, turn, body: wholeBody, params: makers.length === 0 ? params : { ...params, makers } }
    },
    async channelOf(caller, id) {
      return (await findMaker(await channels.current(), caller, id)).channel
    },
    async narrow(route, caller, { params, ...read }) {
      const { model, follows, makers = [], uncounted } = params
      const usable = route.tiers.flatMap((tier) => tier.channels)
      const previous = follows === undefined ? null : await findFollowed(follows, { caller, usable, model })
      const readerOf = (maker: Maker): Channel | undefined =>
        usable.find((channel) => channel.id === maker.channelId && maker.keyLookup === keyLookup(channel))
      const bound = makers.filter(({ encrypted }) => encrypted === undefined)
      const parts = previous === null ? makers : [previous, ...makers]
      const known = {
        ...read,
        params: { ...params, readableAt: readersOf(makers, readerOf), uncounted: addUncounted(uncounted, historyOf(parts)) },
      }
      if (previous === null && bound.length === 0) return { ...preferring(route, makers.map(readerOf)), read: known }
      const channelId = previous?.channel.id ?? bound[0]?.channelId
      const channel = usable.find(({ id }) => id === channelId)
      const other = channel === undefined ? bound[0] : bound.find((maker) => readerOf(maker) !== channel)
      if (channel === undefined || other !== undefined) throw unreachable(other, follows)
      return { read: known, tiers: [tierOf([channel])], types: [channel.vendor.type] }
    },
    forget: (caller, id) => turns.remove(id, caller),
    storable(read, tiers) {
      const { turn, params, body } = read
      if (turn === undefined || params.isForgotten === true) return { read, text: null }
      const stores = new Set(tiers.flatMap((tier) => tier.channels.map((channel) => storeOf(channel, params.model))))
      const isElsewhere = stores.size === 1 && stores.has('vendor')
      const text = isElsewhere || keptDays() === 0 ? null : turns.textOf(turn)
      if (isElsewhere || text !== null || !stores.has('gateway')) return { read, text }
      return { read: { ...read, body: { ...body, store: false }, params: { ...params, isForgotten: true } }, text }
    },
    async begin({ requestId, caller, createdAt, params: { model } }, { text, id }) {
      if (text === null) return
      const { userId, tokenId } = caller
      begun.set(requestId, id)
      try {
        await makeRoom(caller, await turns.save(text, { userId, tokenId, model, id, createdAt }))
      } catch (err) {
        log.error({ err, requestId }, 'response input not stored')
      }
    },
    isBegun: ({ requestId }) => begun.has(requestId),
    over,
    own: (caller, id) => turns.find(id, readBy(caller)),
  }
}

/** @param item none: the response that is followed cannot be reached */
function unreachable(item: Maker | undefined, follows = ''): AppError {
  if (item === undefined) return new AppError('response_unreachable', { params: { id: follows } })
  return new AppError('response_unreachable', { messageKey: 'item_unreachable', params: { id: item.id, name: 'input' } })
}

/** Encrypted texts, each with the channel that can read it. */
function readersOf(makers: readonly Maker[], readerOf: (maker: Maker) => Channel | undefined): ReadonlyMap<string, number | null> {
  return new Map(
    makers.flatMap((maker) => (maker.encrypted === undefined ? [] : [[maker.encrypted, readerOf(maker)?.id ?? null] as const])),
  )
}

/** The route with the last of these channels before all others. */
function preferring({ tiers, types }: Route, readers: ReadonlyArray<Channel | undefined>): Pick<Route, 'tiers' | 'types'> {
  const preferred = readers.findLast((channel) => channel !== undefined)
  if (preferred === undefined) return { tiers, types }
  const others = tiers.map(({ channels }) => channels.filter((channel) => channel !== preferred)).filter(({ length }) => length > 0)
  return { tiers: [[preferred], ...others].map(tierOf), types }
}

/** What the vendor reads of these parts. Their length may be unknown: then it is reserved if the balance covers it. */
function historyOf(parts: ReadonlyArray<Pick<Maker, 'tokens'>>): UncountedInput {
  const least = parts.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)
  return { least, most: parts.some(({ tokens }) => tokens === null) ? Number.POSITIVE_INFINITY : least }
}

/** Whether something in the request belongs to the channel that made it. */
export function isTied({ follows, makers }: RequestParams): boolean {
  return follows !== undefined || makers !== undefined
}

/** Wraps billing: stores the response with the charge, before the client sees the end. */
export function storingResponses(billing: Billing, storedResponses: Pick<StoredResponses, 'keep' | 'isBegun' | 'over'>): Billing {
  return {
    ...billing,
    settle(charge, end) {
      if (end.storedId === undefined && end.items === undefined && !storedResponses.isBegun(charge)) return billing.settle(charge, end)
      return Promise.all([storedResponses.keep(charge, end), billing.settle(charge, end)]).then(() => {})
    },
    async release(charge, ...why) {
      await billing.release(charge, ...why)
      if (storedResponses.isBegun(charge)) await storedResponses.over(charge, {})
    },
  }
}

/** Deletes rows older than vendors keep responses, and content that is older than the configured days. */
export async function sweepStoredResponses(
  db: Db,
  clock: Clock,
  { ResponseRetentionDays: keptDays }: Pick<Settings, 'ResponseRetentionDays'>,
): Promise<void> {
  const now = nowSeconds(clock)
  const sweeps = [
    { isOwn: false, before: now - keptSeconds },
    { isOwn: true, before: now - keptDays * daySeconds },
  ]
  for (const { isOwn, before } of sweeps) while (await deleteResponsesBefore(db, { isOwn, before, rowsMax: sweepRows }));
}
