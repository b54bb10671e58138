import { existsSync } from 'node:fs'
import { join } from 'node:path'

// Where a store is, in one text: the address of a PostgreSQL database, or the path of a SQLite file.

/** The store of this installation. */
export function storePlace({ databaseUrl, dataDir }: { readonly databaseUrl: string; readonly dataDir: string }): string {
  return databaseUrl === '' ? join(dataDir, 'sluice.db') : databaseUrl
}

export function isPostgres(place: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(place)
}

/** For people to read: without user and password. */
export function placeLabel(place: string): string {
  if (!isPostgres(place)) return place
  const url = URL.parse(place)
  return url === null ? 'the database' : `${url.protocol}//${url.host}${url.pathname}`
}

/** Whether something may be there; a server is asked only when it is used. */
export function isThere(place: string): boolean {
  return isPostgres(place) || existsSync(place)
}
