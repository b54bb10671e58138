import { openSeal, sealForReading } from '../admin/open-seal.ts'
import { openSettings, type SettingsStore } from '../api/option/settings.ts'
import type { Db } from '../db/connect.ts'
import { connectSqlite } from '../db/connect-sqlite.ts'
import { connectStore } from '../db/connect-store.ts'
import { openForReading } from '../db/open-beside.ts'
import { isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { createLedger } from '../ledger/create-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { systemClock } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import { createLog } from '../log.ts'
import { copyOptions, listTableNames } from './queries.ts'

/** Our own database, as far as an import needs it. */
export interface Target {
  readonly label: string
  readonly db: Db
  readonly seal: Seal
  /** `null` = a dry run. */
  readonly ledger: Ledger | null
  /** In a dry run, a copy that accepts and refuses like the real settings and is discarded. */
  readonly settings: SettingsStore
  close(): Promise<void>
}

/** Opens the database for writing and locks it like a server. @throws when a server has it open */
export async function openTarget(env: Env): Promise<Target> {
  const { logLevel } = env
  const place = storePlace(env)
  const log = createLog(logLevel)
  const store = await connectStore(place, { report: (what, err) => log.error({ err }, what) })
  const { db } = store
  const seal = await openSeal(db, env)
  const ledger = await createLedger({ store, clock: systemClock, log })
  return {
    label: placeLabel(place),
    db,
    seal,
    ledger,
    settings: await openSettings({ db, seal, clock: systemClock }),
    async close() {
      await ledger.close()
      await store.durable()
      await store.close()
    },
  }
}

/** Opens the database for reading, also while a server runs; if there is none yet, an empty temporary one. */
export async function openTargetForReading(env: Env): Promise<Target> {
  const place = storePlace(env)
  const scratch = await connectSqlite(':memory:')
  const own = isThere(place) ? openForReading(place) : null
  const close = async (): Promise<void> => {
    await own?.close()
    await scratch.close()
  }
  try {
    const db = (await ownTables(own?.db ?? null, placeLabel(place))) ?? scratch.db
    if (db !== scratch.db) await copyOptions(db, scratch.db)
    const seal = await sealForReading(db, env)
    return {
      label: placeLabel(place),
      db,
      seal,
      ledger: null,
      settings: await openSettings({ db: scratch.db, seal, clock: systemClock }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** `null` = the database is empty. */
async function ownTables(db: Db | null, label: string): Promise<Db | null> {
  const tables = db === null ? [] : await listTableNames(db)
  if (tables.length > 0 && !tables.includes('imported'))
    throw new Error(`${label} is from an earlier version: start Sluice once, then import`)
  return tables.length === 0 ? null : db
}
