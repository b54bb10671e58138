import { parseExactly } from '@sluice/vendors/core/exact-json'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { historyItems, inputItems } from '@sluice/vendors/protocols/responses/history'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Seal } from '../../lib/seal.ts'
import { deleteResponse, findItems, type StoredBy, saveResponses } from './response-queries.ts'
import { idMax, itemPurpose, turnEnd } from './stored-items.ts'

/** What a client sent for a response: its own input, and the response that it follows. */
export interface Turn {
  readonly input: Json
  readonly previous: string | null
}

/** A response that no vendor stores. */
export interface OwnResponse {
  readonly response: JsonObject
  readonly turn: Turn
}

interface Place {
  readonly userId: number
  readonly tokenId: number
  readonly model: string
  readonly id: string
  readonly createdAt: number
}

/** Turns of responses that no vendor stores. The responses themselves are among the stored items, under their own ids. */
export interface StoredTurns {
  /** A turn as it is stored; `null`: it is too long. */
  textOf(turn: Turn): string | null
  /** @param text from `textOf` @returns bytes that it takes */
  save(text: string, place: Place): Promise<number>
  /** `null`: there is no such response, or its vendor stores it. */
  find(id: string, by: StoredBy): Promise<OwnResponse | null>
  /** The items of a response and of all before it, in their order. `null`: it is not stored here. @throws AppError if they are too many */
  history(id: string, by: StoredBy): Promise<readonly JsonObject[] | null>
  /** Removes a turn, and its response if there is one. */
  remove(id: string, owner: { readonly userId: number }): Promise<void>
}

/** Longer input is not stored: the response can then not be followed. */
const inputCharsMax = 4 * 1024 * 1024
/** Most turns and characters of a conversation. */
const turnsMax = 500
const historyCharsMax = 16 * 1024 * 1024

const rowOf = (id: string): string => `${id}${turnEnd}`

export function createStoredTurns({ db, seal }: { readonly db: Db; readonly seal: Seal }): StoredTurns {
  async function find(id: string, by: StoredBy): Promise<OwnResponse | null> {
    if (id.length > idMax) return null
    const rows = await findItems(db, { ...by, ids: [id, rowOf(id)] })
    const open = (name: string): Json => {
      const sealed = rows.find((row) => row.id === name)?.item_sealed ?? null
      const text = sealed === null ? null : seal.tryOpen(sealed, itemPurpose(by.viewer.userId, name))
      return text === null ? null : parseExactly(text)
    }
    const [response, turn] = [open(id), open(rowOf(id))]
    if (!isObject(response) || !isObject(turn)) return null
    const { input = null, previous } = turn
    return { response, turn: { input, previous: typeof previous === 'string' ? previous : null } }
  }

  return {
    find,
    textOf({ input, previous }) {
      const text = JSON.stringify({ input, previous })
      return text.length > inputCharsMax ? null : text
    },
    async save(text, { userId, tokenId, model, id, createdAt }) {
      const name = rowOf(id)
      const sealed = seal.seal(text, itemPurpose(userId, name))
      const row = {
        user_id: userId,
        id: name,
        token_id: tokenId,
        channel_id: 0,
        key_lookup: '',
        item_sealed: sealed,
        bytes: sealed.length,
        model,
        tokens: null,
        created_at: createdAt,
      }
      await saveResponses(db, [row])
      return row.bytes
    },
    async history(id, by) {
      const turns: (readonly JsonObject[])[] = []
      let chars = 0
      for (let next: string | null = id; next !== null; ) {
        const stored: OwnResponse | null = await find(next, by)
        if (stored === null) {
          if (turns.length === 0) return null
          throw new AppError('response_not_found', { params: { id: next.slice(0, 80), name: 'previous_response_id' } })
        }
        const items = [...inputItems(stored.turn.input), ...historyItems(stored.response['output'])]
        chars += JSON.stringify(items).length
        turns.push(items)
        if (turns.length > turnsMax || chars > historyCharsMax)
          throw new AppError('invalid_parameter', { params: { name: 'previous_response_id' } })
        next = stored.turn.previous
      }
      return turns.reverse().flat()
    },
    async remove(id, { userId }) {
      await deleteResponse(db, { userId, id })
      await deleteResponse(db, { userId, id: rowOf(id) })
    },
  }
}
