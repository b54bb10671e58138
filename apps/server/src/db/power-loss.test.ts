import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { numbersFrom } from '../../test/numbers-from.ts'
import { createLedger } from '../ledger/create-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { verify } from '../ledger/verify.ts'
import { systemClock } from '../lib/clock.ts'
import { connectSqlite } from './connect-sqlite.ts'

// After a power failure a disk holds everything that was synced, and any part of what was written later. The files are copied when a sync
// begins: that is what the sync guarantees when it ends.

const folder = mkdtempSync(join(tmpdir(), 'sluice-power-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const log = pino({ level: 'silent' })

/** What is certainly on the disk, and what had been acknowledged at that time. */
interface Synced {
  readonly place: string
  readonly walBytes: number
}

const posting = (index: number) => ({ userId: 1, kind: 'top-up' as const, ref: `p${index}`, amount: 1_000 })
const settled = (requestId: string) => ({
  amount: 3,
  channelId: 1,
  log: plainLog({ userId: 1, createdAt: 0, type: 2, content: '', username: 'ann', requestId, quota: 3 }),
})

async function spend(ledger: Ledger, index: number): Promise<void> {
  const hold = await ledger.hold({ requestId: `r${index}`, userId: 1, tokenId: 1, amount: 5, modelName: 'm' })
  await ledger.settle(hold, settled(`r${index}`))
}

async function addPeople(place: string): Promise<void> {
  const store = await connectSqlite(place)
  const person = { username: 'ann', display_name: 'Ann', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  await store.db.insertInto('users').values(person).execute()
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  const token = { user_id: 1, key_lookup: 'k', key_sealed: '', name: 't', status: 1, ...times, models: '', subnet: '' }
  await store.db
    .insertInto('tokens')
    .values({ ...token, remain_quota: 0, unlimited_quota: 1 })
    .execute()
  await store.close()
}

/** Opens a copy as the next start would. @returns its defects, and the refs of its entries */
async function openCopy(place: string): Promise<{ readonly wrong: readonly string[]; readonly refs: ReadonlySet<string> }> {
  const store = await connectSqlite(place)
  await createLedger({ store, clock: systemClock, log })
  const entries = await store.db.selectFrom('ledger').select('ref').execute()
  const { checks } = await verify(store.db, { withLogs: true })
  await store.close()
  const file = new Database(place, { readonly: true })
  const [integrity] = file.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
  file.close()
  const broken = checks.flatMap(({ broken: lines }) => lines)
  return { wrong: integrity?.integrity_check === 'ok' ? broken : ['not intact', ...broken], refs: new Set(entries.map(({ ref }) => ref)) }
}

function copyStore(from: string, to: string): string {
  copyFileSync(from, to)
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
  return to
}

const rounds = 12
const cuts = Number(process.env['POWER_CUTS'] ?? 40)

test('after a power failure acknowledged money is stored, whatever bytes follow it, and the database is consistent', async () => {
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  const random = numbersFrom(seed)
  const place = join(folder, 'live.db')
  await addPeople(place)
  let begun: Synced | null = null
  let count = 0
  const store = await connectSqlite(place, {
    reached(point) {
      if (point !== 'wal-sync') return
      const copy = copyStore(place, join(folder, `synced${count++}.db`))
      begun = { place: copy, walBytes: readFileSync(`${copy}-wal`).length }
    },
  })
  const ledger = await createLedger({ store, clock: systemClock, log })
  const moments: Array<{ readonly synced: Synced; readonly acknowledged: number }> = []
  for (let index = 0; index < rounds; index++) {
    await ledger.post(posting(index))
    if (begun !== null) moments.push({ synced: begun, acknowledged: index })
    await Promise.all([spend(ledger, 2 * index), spend(ledger, 2 * index + 1)])
  }
  const last = copyStore(place, join(folder, 'last.db'))
  const written = readFileSync(`${last}-wal`)
  await store.close()

  for (let cut = 0; cut < cuts; cut++) {
    const moment = moments[Math.floor(random() * moments.length)]
    if (moment === undefined) throw new Error('nothing was synced')
    const copy = copyStore(moment.synced.place, join(folder, `cut${cut}.db`))
    // After the synced bytes anything may follow: a part of what was written, with some bytes wrong.
    const end = moment.synced.walBytes + Math.floor(random() * (written.length - moment.synced.walBytes))
    // Zeros, if the log was grown in advance.
    const zeros = random() < 0.3 ? Math.floor(random() * 20_000) : 0
    const wal = Buffer.concat([written.subarray(0, end), Buffer.alloc(zeros)])
    if (random() < 0.5 && end > moment.synced.walBytes) {
      const at = moment.synced.walBytes + Math.floor(random() * (end - moment.synced.walBytes))
      wal[at] = (wal[at] ?? 0) ^ 0x55
    }
    writeFileSync(`${copy}-wal`, wal)
    const { wrong, refs } = await openCopy(copy)
    const lost = Array.from({ length: moment.acknowledged + 1 }, (_, index) => `p${index}`).filter((ref) => !refs.has(ref))
    expect([cut, wrong, lost]).toEqual([cut, [], []])
  }
}, 60_000)

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const walHead = 32
const frameHead = 24

test('a log that was partly copied back when the process was killed is copied back again (P10)', async () => {
  const place = join(folder, 'checkpoint.db')
  await addPeople(place)
  const store = await connectSqlite(place)
  const ledger = await createLedger({ store, clock: systemClock, log })
  await ledger.post(posting(0))
  for (let index = 0; index < 40; index++) await spend(ledger, index)
  const torn = copyStore(place, join(folder, 'torn.db'))
  await store.close()
  const wal = readFileSync(`${torn}-wal`)
  const pageBytes = wal.readUInt32BE(8)
  const frames = Math.floor((wal.length - walHead) / (frameHead + pageBytes))
  for (const upTo of [1, Math.floor(frames / 3), frames - 1]) {
    const copy = copyStore(torn, join(folder, `torn${upTo}.db`))
    const main = readFileSync(copy)
    const pages = new Map(
      Array.from({ length: Math.ceil(main.length / pageBytes) }, (_, index) => [
        index,
        main.subarray(index * pageBytes, (index + 1) * pageBytes),
      ]),
    )
    for (let frame = 0; frame < upTo; frame++) {
      const at = walHead + frame * (frameHead + pageBytes)
      pages.set(wal.readUInt32BE(at) - 1, wal.subarray(at + frameHead, at + frameHead + pageBytes))
    }
    const size = Math.max(...pages.keys()) + 1
    writeFileSync(copy, Buffer.concat(Array.from({ length: size }, (_, index) => pages.get(index) ?? Buffer.alloc(pageBytes))))
    const { wrong, refs } = await openCopy(copy)
    expect([upTo, wrong, refs.size]).toEqual([upTo, [], 41])
  }
}, 60_000)
