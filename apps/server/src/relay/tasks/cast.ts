import { isObject } from '@sluice/vendors/core/is-object'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ClientTaskParams } from '../ingress/read-task-params.ts'
import type { Viewer } from '../model/caller.ts'
import { readCharacters } from './character-queries.ts'

/** The characters of an order: the channel that has them, and their ids there. */
export interface Cast {
  readonly channelId: number
  readonly ids: ReadonlyMap<string, string>
}

/** Characters in one video (OpenAI, "Video generation", as eachlabs.ai quotes it, read 2026-11-25). */
const charactersMax = 2

/** `null`: the order names none. @throws AppError if the viewer may not see all of them, or they are at several channels */
export async function castOf(db: Db, viewer: Viewer, { extra }: ClientTaskParams): Promise<Cast | null> {
  const { characters } = extra
  if (characters === undefined || characters === null) return null
  const named = (Array.isArray(characters) ? characters : []).map((one) => (isObject(one) ? one['id'] : one))
  const ids = named.filter((id) => typeof id === 'string')
  if (ids.length === 0 || ids.length !== named.length || ids.length > charactersMax)
    throw new AppError('invalid_parameter', { params: { name: 'characters' } })
  const rows = await readCharacters(db, viewer, ids)
  const [first] = rows
  const isWhole = ids.every((id) => rows.some(({ public_id, channel_id }) => public_id === id && channel_id === first?.channel_id))
  if (first === undefined || !isWhole) throw new AppError('invalid_parameter', { params: { name: 'characters' } })
  return { channelId: first.channel_id, ids: new Map(rows.map(({ public_id, vendor_id }) => [public_id, vendor_id])) }
}

/** The order with the ids that the channel knows. */
export function withCast(params: ClientTaskParams, cast: Cast | null): ClientTaskParams {
  if (cast === null) return params
  return { ...params, extra: { ...params.extra, characters: [...cast.ids.values()].map((id) => ({ id })) } }
}
