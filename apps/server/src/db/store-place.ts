import { existsSync } from 'node:fs'
import { join } from 'node:path'

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
  return url === null ? 'the database' : `${url.protocol}//${url.host}${url.pathname}`
}

/** Whether the SQLite file exists; always true for PostgreSQL, which is contacted only when it is used. */
export function isThere(place: string): boolean {
  return isPostgres(place) || existsSync(place)
}
