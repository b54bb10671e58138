import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parsePostgresAddress } from '../lib/postgres-address.ts'

// The place of a store is one text: the address of a PostgreSQL database, or the path of a SQLite file.

/** The store of this installation. */
export function storePlace({ databaseUrl, dataDir }: { readonly databaseUrl: string; readonly dataDir: string }): string {
  return databaseUrl === '' ? join(dataDir, 'sluice.db') : databaseUrl
}

/** The folder of copies of results that are kept on the disk. */
export function resultsFolder(dataDir: string): string {
  return join(dataDir, 'results')
}

export function isPostgres(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place)
}

/** The place without user and password, for people to read. */
export function placeLabel(place: string): string {
  if (!isPostgres(place)) return place
  const url = URL.parse(place)
  // Of an address that cannot be read, anything may be a part of the password.
  return url === null || !isAddress(place) ? 'the database' : `${url.protocol}//${url.host}${url.pathname}`
}

function isAddress(place: string): boolean {
  try {
    parsePostgresAddress(place)
    return true
  } catch {
    return false
  }
}

/** Whether the SQLite file exists, and is not empty; always true for PostgreSQL, which is contacted only when it is used. */
export function isThere(place: string): boolean {
  return isPostgres(place) || (statSync(place, { throwIfNoEntry: false })?.size ?? 0) > 0
}
