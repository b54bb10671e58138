import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from './connect.ts'
import { isThere, resultsFolder, storePlace } from './store-place.ts'

// Whether the data folder is the one that belongs to the database, as far as their contents show.

interface Places {
  /** Empty = SQLite in the data folder. */
  readonly databaseUrl: string
  readonly dataDir: string
  /** The store of copies of results; `null` = they are in the data folder. */
  readonly resultsS3: object | null
}

/**
 * Call it before the store is opened, which makes files of its own.
 * @returns a function that lists, once the store is open, why the folder may be the wrong one: sentences for the log
 */
export function inspectFolder(places: Places): (store: Store) => Promise<readonly string[]> {
  const overlooked = overlookedIn(places)
  return async (store) => [
    ...(overlooked !== null && (await isNew(store)) ? [overlooked] : []),
    ...(places.resultsS3 === null && (await lacksResults(store, resultsFolder(places.dataDir))) ? [resultsMissing(places)] : []),
  ]
}

/** What an installation leaves in its folder beside the database itself. */
const traceNames: readonly string[] = ['secret.key', 'results', 'backups', 'sluice.db-wal']
const isTrace = (name: string): boolean => traceNames.includes(name) || name.startsWith('sluice.db.before-')

/** What a new installation would overlook in the folder; `null` = nothing. */
function overlookedIn({ databaseUrl, dataDir }: Places): string | null {
  const file = storePlace({ dataDir, databaseUrl: '' })
  if (databaseUrl !== '')
    return isThere(file) ? `the PostgreSQL database is new, and ${file} in DATA_DIR is not used: migrate-store copies it` : null
  const traces = tracesWithout(file)
  return traces === null ? null : `${file} is new, ${traces}`
}

/**
 * The signs that a SQLite database was in its folder before, and what to do, to follow a statement about the file.
 * @returns `null`: there is a database, or the folder was not used before
 */
export function tracesWithout(file: string): string | null {
  const folder = dirname(file)
  const traces = isThere(file) || !existsSync(folder) ? [] : readdirSync(folder).filter(isTrace).sort()
  if (traces.length === 0) return null
  return `although its folder was used before (${traces.join(', ')}): if it was lost, stop the server, restore a backup (admin restore FILE) or set the DATABASE_URL of before`
}

const resultsMissing = ({ dataDir }: Places): string =>
  `the database has copies of results of tasks, but ${resultsFolder(dataDir)} does not exist: see whether DATA_DIR is the folder of before`

const isNew = async ({ db }: Store): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined

/** Whether copies of results are recorded of which the folder has none, although no other node can have made them. */
async function lacksResults({ engine, db, node }: Store, folder: string): Promise<boolean> {
  if (existsSync(folder)) return false
  const kept = await db.selectFrom('task_files').select('id').where('state', '=', 'kept').limit(1).executeTakeFirst()
  if (kept === undefined) return false
  if (engine === 'sqlite') return true
  return (await db.selectFrom('nodes').select('id').where('id', '<>', node.id).limit(1).executeTakeFirst()) === undefined
}
