import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openSettings, type SettingsStore } from '../api/option/settings.ts'
import type { Db } from '../db/connect.ts'
import { connectSqlite } from '../db/connect-sqlite.ts'
import { openForReading } from '../db/open-for-reading.ts'
import type { Env } from '../env.ts'
import { createLedger } from '../ledger/create-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { systemClock } from '../lib/clock.ts'
import { hasMasterKey, readMasterKey } from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { createLog } from '../log.ts'
import { copyOptions, listTableNames } from './queries.ts'

/** Our own database, as far as an import needs it. */
export interface Target {
  readonly label: string
  readonly db: Db
  readonly seal: Seal
  /** `null`: nothing may be written. */
  readonly ledger: Ledger | null
  /** Where nothing may be written, a copy that takes and refuses like the real ones and is thrown away. */
  readonly settings: SettingsStore
  close(): Promise<void>
}

/** For writing: alone on the database, like a server. @throws where a server has it */
export async function openTarget({ dataDir, secret, logLevel }: Env): Promise<Target> {
  const path = join(dataDir, 'sluice.db')
  const store = await connectSqlite(path)
  const { db } = store
  const seal = createSeal(readMasterKey(secret, dataDir))
  const ledger = await createLedger({ store, clock: systemClock, log: createLog(logLevel) })
  return {
    label: path,
    db,
    seal,
    ledger,
    settings: await openSettings({ db, seal }),
    async close() {
      await ledger.drain()
      await store.durable()
      await store.close()
    },
  }
}

/** For looking only, also beside a running server; where there is no database yet, an empty one that nobody keeps. */
export async function openTargetForReading({ dataDir, secret }: Env): Promise<Target> {
  const path = join(dataDir, 'sluice.db')
  const seal = createSeal(hasMasterKey(secret, dataDir) ? readMasterKey(secret, dataDir) : randomBytes(32))
  const scratch = await connectSqlite(':memory:')
  const { db, close } = existsSync(path) ? openForReading(path) : scratch
  const closeBoth = async (): Promise<void> => {
    if (db !== scratch.db) await scratch.close()
    await close()
  }
  if (!(await listTableNames(db)).includes('imported')) {
    await closeBoth()
    throw new Error(`${path} is of an earlier version: start Sluice once, then import`)
  }
  if (db !== scratch.db) await copyOptions(db, scratch.db)
  return { label: path, db, seal, ledger: null, settings: await openSettings({ db: scratch.db, seal }), close: closeBoth }
}
