import { checkSeal } from '../admin/open-seal.ts'
import { countUnreadable } from '../admin/unreadable-values.ts'
import { openSettings, type SettingsStore } from '../api/option/settings.ts'
import { checkServer } from '../db/check-server.ts'
import type { Db } from '../db/connect.ts'
import { explainStore } from '../db/explain-store.ts'
import { tracesWithout } from '../db/former-folder.ts'
import { assertMigratable, isUpToDate } from '../db/migrate.ts'
import { openForReading } from '../db/open-beside.ts'
import { isPostgres, isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { systemClock } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import { check, type Finding, type ReportFinding } from './finding.ts'

/** What further checks read from the database. */
export interface Stored {
  readonly db: Db
  readonly seal: Seal
  readonly settings: SettingsStore
}

/**
 * Checks the database and the master key. Nothing is changed, whether a server runs or not.
 * @param further called while the database is open, if it can be read with the master key that is here
 */
export async function checkStore(env: Env, report: ReportFinding, further: (stored: Stored) => Promise<void>): Promise<void> {
  const place = storePlace(env)
  if (!isThere(place)) {
    report(missingDatabase(place))
    return
  }
  const { db, close } = openForReading(place)
  try {
    const opened = { isCurrent: false }
    const database = await check('database', async () => {
      if (isPostgres(place)) await checkServer(place, systemClock)
      opened.isCurrent = await stateOf(db, place)
      return `${placeLabel(place)} ${opened.isCurrent ? 'can be used' : 'can be used; the next start creates or migrates its tables'}`
    })
    report(database)
    if (opened.isCurrent) await checkKey(env, { db, report, further })
  } finally {
    await close()
  }
}

function missingDatabase(place: string): Finding {
  const traces = tracesWithout(place)
  if (traces !== null) return { is: 'problem', subject: 'database', text: `${place} does not exist, ${traces}` }
  return { is: 'skipped', subject: 'database', text: `${place} does not exist yet; the first start creates it` }
}

/** @returns whether it has the tables of this version. @throws Error that says why it cannot be used */
async function stateOf(db: Db, place: string): Promise<boolean> {
  try {
    // Holds: only the names of tables and migrations are read, which does not depend on the row types.
    const untyped = db as never
    await assertMigratable(untyped)
    return await isUpToDate(untyped)
  } catch (error) {
    throw await explainStore(place, error)
  }
}

interface KeyCheck {
  readonly db: Db
  readonly report: ReportFinding
  readonly further: (stored: Stored) => Promise<void>
}

async function checkKey(env: Env, { db, report, further }: KeyCheck): Promise<void> {
  const result: { seal: Seal | null } = { seal: null }
  const key = await check('master key', async () => {
    result.seal = await checkSeal(db, env)
    return result.seal === null ? 'nothing is encrypted yet; the first start creates a key' : 'it fits the database'
  })
  report(key)
  const { seal } = result
  if (seal === null) return
  const settings = await openSettings({ db, seal, clock: systemClock })
  const unreadable = Object.entries(await countUnreadable({ db, seal, options: settings.unreadable })).filter(([, count]) => count > 0)
  if (unreadable.length > 0) {
    const list = unreadable.map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`).join(', ')
    report({
      is: 'problem',
      subject: 'stored values',
      text: `cannot be read with this master key: ${list}. The console shows which; enter them again`,
    })
  }
  await further({ db, seal, settings })
}
