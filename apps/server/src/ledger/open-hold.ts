import type { Selectable } from 'kysely'
import type { HoldTable } from '../db/schema.ts'

/** A reservation of a crashed process, with the data for its log row. */
export type OpenHold = Selectable<HoldTable> & { readonly username: string | null; readonly token_name: string | null }
