import { parseExactly } from '@sluice/vendors/core/exact-json'
import type { JsonObject } from '@sluice/vendors/core/json'
import { nonsense } from '@sluice/vendors/core/no-usage'
import type { ReferableItem } from '@sluice/vendors/core/response'
import { type Reference, referencesIn, withItems } from '@sluice/vendors/protocols/responses/references'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseId } from '../../lib/parse-value.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Charge } from '../billing/billing.ts'
import type { Channel } from '../model/channel.ts'
import type { Maker } from '../model/request-params.ts'
import type { ResponseEnd } from '../model/upstream-response.ts'
import { parseUsage } from '../pricing/parse-usage.ts'
import { findItems, type StoredBy, type StoredResponseRow } from './response-queries.ts'

/** Longest id; a longer string is not an id. */
export const idMax = 256
/** End of the ids of rows that hold the input of a response: they are no items. */
export const turnEnd = ':input'
/** Rows per statement. */
export const rowsAtOnce = 500
/** Items of one response that are stored. */
const itemsMax = 2_000
/** Longer items are not stored: clients must send them again. */
const itemCharsMax = 1024 * 1024
/** Maximum references per request, and characters of all that they stand for, as they are stored. */
const referencesMax = 2_000
const contentCharsMax = 24 * 1024 * 1024
/** Rows that are read at once: they may be long. */
const rowsRead = 16

interface StoredItemsDeps {
  readonly db: Db
  readonly seal: Seal
  readonly keyLookup: (channel: Channel) => string
  readonly keepsContent: () => boolean
}

/** Parts of responses that requests may refer to: the channel that made each, and its content if no vendor stores it. */
export interface StoredItems {
  rowsOf(charge: Charge, end: Pick<ResponseEnd, 'storedId' | 'items' | 'usage'>, nowSeconds: number): readonly StoredResponseRow[]
  /** Replaces references by stored content, else by the channel that made it. `null`: there are none. @throws AppError response_not_found */
  resolve(body: JsonObject, of: StoredBy): Promise<Resolved | null>
}

interface Resolved {
  readonly body: JsonObject
  readonly makers: readonly Maker[]
}

type ItemRow = Awaited<ReturnType<typeof findItems>>[number]

export function createStoredItems({ db, seal, keyLookup, keepsContent }: StoredItemsDeps): StoredItems {
  /** An encrypted text is found by its HMAC. */
  const idOf = (key: string, by: Reference['by']): string => (by === 'id' ? key : `encrypted:${seal.lookup(key, 'kept-answer')}`)

  /** @throws AppError if they stand for too much */
  async function findAll(ids: readonly string[], of: StoredBy): Promise<Map<string, ItemRow>> {
    const rows = new Map<string, ItemRow>()
    let chars = 0
    for (let start = 0; start < ids.length; start += rowsRead) {
      const batch = await findItems(db, { ...of, ids: ids.slice(start, start + rowsRead) })
      for (const row of batch) rows.set(row.id, row)
      chars += batch.reduce((sum, { item_sealed: sealed }) => sum + (sealed?.length ?? 0), 0)
      if (chars > contentCharsMax) throw new AppError('invalid_parameter', { params: { name: 'input' } })
    }
    return rows
  }

  /** @throws AppError if an item is unknown and the request has only its reference */
  async function findReferred(
    references: readonly Reference[],
    of: StoredBy,
  ): Promise<ReadonlyArray<Pick<Reference, 'key' | 'by'> & { readonly row: ItemRow | undefined }>> {
    if (references.length > referencesMax) throw new AppError('invalid_parameter', { params: { name: 'input' } })
    const ids = new Set(references.map(({ key, by }) => idOf(key, by)).filter((id) => id.length <= idMax && !id.endsWith(turnEnd)))
    const rows = await findAll([...ids], of)
    return references.map(({ key, by, isAlone }) => {
      const row = rows.get(idOf(key, by))
      if (row === undefined && isAlone) throw unknownItem(key)
      return { key, by, row }
    })
  }

  /** What to store of an item: `null` only its maker, or the content. `undefined`: nothing. */
  function storedContentOf({ id, content }: ReferableItem, { caller: { userId }, params }: Charge): string | null | undefined {
    if (!isItemId(id)) return undefined
    if (content === undefined) return null
    const text = params.isForgotten === true || !keepsContent() ? null : JSON.stringify(content)
    return text === null || text.length > itemCharsMax ? undefined : seal.seal(text, itemPurpose(userId, id))
  }

  function unsealed({ id, item_sealed: sealed }: ItemRow, userId: number): JsonObject | null {
    const text = sealed === null ? null : seal.tryOpen(sealed, itemPurpose(userId, id))
    // Holds: only items are sealed.
    return text === null ? null : (parseExactly(text) as JsonObject)
  }

  return {
    rowsOf(charge, { storedId, items = [], usage }, nowSeconds) {
      const { caller, channel, params } = charge
      if (channel === null) return []
      const rows = new Map<string, string | null>()
      const textless = new Set(items.filter(({ isTextless }) => isTextless === true).map(({ id }) => id))
      // One that the gateway made of a chat is no vendor's.
      const isOwn = items.some(({ id, content }) => id === storedId && content !== undefined)
      if (storedId !== undefined && !isOwn && isItemId(storedId)) rows.set(storedId, null)
      for (const item of items.slice(0, itemsMax)) {
        if (item.encrypted !== undefined) rows.set(idOf(item.encrypted, 'encrypted'), null)
        const kept = storedContentOf(item, charge)
        if (kept !== undefined) rows.set(item.id, kept)
      }
      const common = { user_id: caller.userId, token_id: caller.tokenId, channel_id: channel.id, key_lookup: keyLookup(channel) }
      // The vendor reports no tokens of the single parts.
      const [ofResponse, ofItem] = tokensOf(usage, items.filter(({ isTextless }) => isTextless !== true).length)
      return [...rows].map(([id, itemSealed]) => ({
        ...common,
        id,
        item_sealed: itemSealed,
        bytes: itemSealed?.length ?? 0,
        model: params.model,
        tokens: textless.has(id) ? 0 : id === storedId ? ofResponse : ofItem,
        created_at: nowSeconds,
      }))
    },
    async resolve(body, of) {
      const references = referencesIn(body)
      if (references.length === 0) return null
      const referred = await findReferred(references, of)
      const items = new Map<string, JsonObject>()
      const makers: Maker[] = []
      for (const { key, by, row } of referred) {
        if (row === undefined) continue
        const item = unsealed(row, of.viewer.userId)
        // A whole response is stored under its own id.
        if (item?.['object'] === 'response') throw unknownItem(key)
        if (item === null) makers.push(makerOf(row, { key, by }))
        else items.set(key, item)
      }
      return { body: items.size === 0 ? body : withItems(body, items), makers }
    },
  }
}

function makerOf({ channel_id: channelId, key_lookup: keyLookup, tokens }: ItemRow, { key, by }: Pick<Reference, 'key' | 'by'>): Maker {
  const known = { channelId, keyLookup, tokens }
  return by === 'id' ? { id: key, ...known } : { id: truncated(key), encrypted: key, ...known }
}

/** Tokens of a response with its prompt, and of each of its parts; `null`: not known. */
function tokensOf(usage: ResponseEnd['usage'], parts: number): readonly [number | null, number | null] {
  const { promptTokens, completionTokens, isSuspect } = usage === null ? nonsense : parseUsage(usage)
  if (isSuspect) return [null, null]
  return [promptTokens + completionTokens, Math.ceil(completionTokens / Math.max(1, parts))]
}

/** Truncates a reference for an error message: it may be a long text. */
function truncated(key: string): string {
  return key.slice(0, 80)
}

function unknownItem(key: string): AppError {
  return new AppError('response_not_found', { messageKey: 'item_not_found', params: { id: truncated(key), name: 'input' } })
}

/** A vendor's id that can be stored, and given back by a client. */
function isItemId(id: string): boolean {
  return id.length <= idMax && parseId(id) !== null
}

/** Binds the sealed item to its row. */
export function itemPurpose(userId: number, id: string): string {
  return `kept-item:${userId}:${id}`
}
