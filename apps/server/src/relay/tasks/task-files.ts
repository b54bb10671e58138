import type { Settings } from '@sluice/contract'
import type { TaskResult } from '@sluice/vendors/core/task'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { movingOn } from '../response/stream-bytes.ts'
import { storageOf } from '../storage/storage-share.ts'
import { storedBytes } from '../storage/stored-bytes-queries.ts'
import type { FileStore } from './file-store.ts'
import { writeMs } from './file-store-timeouts.ts'
import { type OpenDeps, type OpenedResult, openResult } from './open-result.ts'
import { partsOf } from './response-parts.ts'
import { resultTypeOf } from './result-type.ts'
import {
  claimFile,
  deleteFileRow,
  dropFile,
  dropFilesOf,
  dropOld,
  extendExpiry,
  listDropped,
  listDueFiles,
  noteKept,
  oldestKept,
  readKept,
  type TaskFileRow,
  takeOverFiles,
  tryFileAt,
  wantFiles,
} from './task-file-queries.ts'
import { type DueTask, readAnyTask } from './task-queries.ts'
import type { StoredTaskResult, TaskTexts } from './task-texts.ts'

/** Copies of results, which can be fetched for as long as an administrator wants, whatever their vendors do. */
export interface TaskFiles {
  /** Lets the results of a task be copied, before the task ends. */
  want(task: Pick<DueTask, 'public_id' | 'user_id'>, results: readonly TaskResult[]): Promise<void>
  /** `null`: there is no copy. */
  find(publicId: string, place: number): Promise<KeptResult | null>
  /** Lets the copies of a task be deleted. */
  drop(publicIds: readonly string[]): Promise<void>
  /** Begins copies that are wanted, and deletes files that have been kept long enough. */
  work(): Promise<{ readonly done: Promise<unknown> }>
  /** Begins no further copies. */
  close(): void
  /** Resolves when no copy runs. */
  idle(): Promise<void>
}

export interface KeptResult {
  readonly contentType: string
  readonly bytes: number
  /** `null`: the file is missing: another server has it, it was deleted manually, or the store fails. */
  read(start: number, end: number): Promise<ReadableStream<Uint8Array> | null>
  /** An address of the store's own. */
  readonly address: string | null
}

interface TaskFilesDeps extends OpenDeps {
  readonly db: Db
  readonly log: Logger
  readonly store: FileStore
  readonly texts: TaskTexts
  readonly settings: () => Settings
}

/** Copies at a time. */
const copiesMax = 2
/** A copy that is not done by then may be begun by another process. No copy takes longer. */
const claimMs = 30 * 60_000
const copyMs = claimMs - writeMs - 60_000
const idleMs = 60_000
/** The longest pause, and a little more: no time that is set lies further ahead. */
const farAheadMs = 40 * 60_000
/** A result that could not be copied is left at its vendor after so many tries, which take an hour. */
const triesMax = 7
const pauseMs = 60_000
const lookEveryMs = 5_000
const cleanedAtOnce = 100

/** Bytes that all accounts may have, and one, and how many of them are needed. */
interface Room {
  readonly all: number
  readonly share: number
  readonly needed: number
}

class NoCopy extends Error {}

export function createTaskFiles(deps: TaskFilesDeps): TaskFiles {
  const { db, clock, log, store, texts, settings } = deps
  const copying = new Set<Promise<void>>()
  let isClosed = false
  let hasTakenOver = false
  let lookAtMs = Number.NEGATIVE_INFINITY

  /** Rows that this process is copying: after the clock was put back, their claims say nothing. */
  const claimed = new Set<number>()

  async function nextDueFile(): Promise<TaskFileRow | undefined> {
    const nowMs = clock.nowMs()
    const rows = isClosed ? [] : await listDueFiles(db, { nowMs, aheadMs: nowMs + farAheadMs, limit: copiesMax + 1 })
    return rows.find(({ id }) => !claimed.has(id))
  }

  const limits = () => storageOf(settings().TaskResultGigabytes, settings())

  async function copy(row: TaskFileRow): Promise<void> {
    const task = await readAnyTask(db, row.task_id)
    const result = task === undefined ? undefined : texts.resultOf(task)?.results[row.place]
    const upstream = task === undefined ? null : texts.upstreamOf(task)
    if (task !== undefined && task.stage !== 'ended') return await tryFileAt(db, row.id, clock.nowMs() + pauseMs)
    if (task?.state !== 'completed' || upstream === null || result?.url === undefined) return await dropFile(db, row.id)
    const opened = await openResult(result.url, { channel: upstream.channel, range: null }, deps)
    const deadline = deps.deadlines.start(copyMs, opened.abort)
    try {
      await take(row, result, opened)
    } finally {
      deps.deadlines.cancel(deadline)
      opened.watch.over()
      opened.response.abort()
    }
  }

  async function take(row: TaskFileRow, result: StoredTaskResult, { response, watch }: OpenedResult): Promise<void> {
    if (isGone(response.status)) throw new NoCopy(`the vendor returned status ${response.status}`)
    if (response.status !== 200) throw new Error(`the vendor returned status ${response.status}`)
    const contentType = resultTypeOf(response, result)
    const declaredBytes = Number(response.header('content-length') ?? 0)
    const room = await makeRoom(row.user_id, declaredBytes)
    const nextAt = (): number => clock.monotonicMs() + idleMs
    watch.silence.at = nextAt()
    let bytes = 0
    const parts = partsOf(movingOn(response, watch.silence, nextAt))
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const part of parts) {
        bytes += part.length
        if (bytes > room) throw new NoCopy('the result is larger than what may be kept')
        yield part
      }
      if (declaredBytes > 0 && bytes !== declaredBytes) throw new Error('the result ended early')
    }
    const name = nameOf(row)
    await store.write(name, counted())
    const now = nowSeconds(clock)
    const until = now + settings().TaskResultHours * 3_600
    const isWanted = await noteKept(db, row.id, { content_type: contentType, bytes, kept_at: now, kept_until: until })
    if (!isWanted) return await store.remove(name)
    await extendExpiry(db, row.task_id, until)
    // Copies of the same time, here or at another server, have found the same room.
    await makeRoomFor(row.user_id, { ...limits(), needed: 0 }).catch(undeleted)
  }

  /** Deletes the oldest files until there is room. @returns bytes that may be kept @throws NoCopy */
  async function makeRoom(userId: number, declaredBytes: number): Promise<number> {
    const { all, share } = limits()
    const most = Math.min(all, (await storedBytes(db, 'results', null)) + (await store.room()))
    if (declaredBytes > Math.min(most, share, store.fileBytesMax)) throw new NoCopy('the result is larger than what may be kept')
    return Math.min(await makeRoomFor(userId, { all: most, share, needed: Math.max(declaredBytes, 1) }), store.fileBytesMax)
  }

  /** First the account's own oldest files go, until its share suffices, and then the oldest of all. */
  async function makeRoomFor(userId: number, { all, share, needed }: Room): Promise<number> {
    const ownLeft = await makeRoomWithin(userId, share, needed)
    return Math.min(ownLeft, await makeRoomWithin(null, all, needed))
  }

  /** Makes room within the bytes of one account; `null`: of all. */
  async function makeRoomWithin(userId: number | null, most: number, needed: number): Promise<number> {
    for (;;) {
      const left = most - (await storedBytes(db, 'results', userId))
      if (left >= needed) return left
      const oldest = await oldestKept(db, userId)
      if (oldest === undefined) throw new NoCopy('there is no room')
      await dropFile(db, oldest.id)
      await cleanIfPossible()
    }
  }

  /** Files that could not be deleted. The next round begins with the others, so that they hold up none. */
  const undeletable = new Set<number>()

  async function clean(): Promise<void> {
    const rows = await listDropped(db, cleanedAtOnce)
    for (const row of rows) if (!undeletable.has(row.id)) await remove(row)
    undeletable.clear()
  }

  async function remove(row: TaskFileRow): Promise<void> {
    undeletable.add(row.id)
    await store.remove(nameOf(row))
    await deleteFileRow(db, row.id)
    undeletable.delete(row.id)
  }

  /** Files that cannot be deleted are deleted later, and hold up no copy. */
  const undeleted = (err: unknown): void => log.warn({ err }, 'task result copies not deleted, will retry')
  const cleanIfPossible = (): Promise<void> => clean().catch(undeleted)

  /** The vendor may still have what cannot be read here. */
  const unread = (name: string) => (err: unknown) => {
    log.warn({ err, name }, 'task result copy not readable')
    return null
  }

  async function failed(row: TaskFileRow, err: unknown): Promise<void> {
    const isLast = row.tries + 1 >= triesMax || err instanceof NoCopy
    log.warn({ err, task: row.task_id, isLast }, 'task result not copied')
    if (isLast) await dropFile(db, row.id)
    else await tryFileAt(db, row.id, clock.nowMs() + pauseMs * 2 ** Math.min(row.tries, 5))
  }

  /** Copies one result after the other until none is wanted. */
  async function copyAll(): Promise<void> {
    for (;;) {
      const row = await nextDueFile()
      if (row === undefined) return
      claimed.add(row.id)
      try {
        if (await claimFile(db, row, clock.nowMs() + claimMs)) await copy(row).catch((error: unknown) => failed(row, error))
      } finally {
        claimed.delete(row.id)
      }
    }
  }

  function begin(): void {
    const running = copyAll()
      .catch((err: unknown) => log.error({ err }, 'task results not copied, will retry'))
      .finally(() => copying.delete(running))
    copying.add(running)
  }

  async function idle(): Promise<void> {
    while (copying.size > 0) await Promise.all(copying)
  }

  return {
    async want({ public_id: taskId, user_id: userId }, results) {
      if (settings().TaskResultHours === 0) return
      const places = results.flatMap(({ url }, place) => (url === undefined ? [] : [place]))
      await wantFiles(db, { taskId, userId }, { places, atMs: clock.nowMs() })
      lookAtMs = Number.NEGATIVE_INFINITY
    },
    async find(publicId, place) {
      const row = await readKept(db, publicId, place)
      if (row === undefined || row.kept_until < nowSeconds(clock)) return null
      const name = nameOf(row)
      return {
        contentType: row.content_type,
        bytes: row.bytes,
        read: (start, end) => store.read(name, start, end).catch(unread(name)),
        address: store.addressOf(name),
      }
    },
    drop: (publicIds) => dropFilesOf(db, publicIds),
    async work() {
      if (clock.monotonicMs() >= lookAtMs) {
        lookAtMs = clock.monotonicMs() + lookEveryMs
        if (!hasTakenOver) await takeOverFiles(db, clock.nowMs())
        hasTakenOver = true
        await dropOld(db, nowSeconds(clock))
        await cleanIfPossible()
        const next = await nextDueFile()
        while (next !== undefined && copying.size < copiesMax) begin()
      }
      return { done: idle() }
    },
    close() {
      isClosed = true
    },
    idle,
  }
}

/** The vendor does not have the result, or has it for nobody. */
const isGone = (status: number): boolean => status === 403 || status === 404 || status === 410

const nameOf = ({ task_id: id, place }: TaskFileRow): string => `${id}-${place}`
