import { settingCharactersOf } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { createMutex } from '../../lib/mutex.ts'
import { createPauses } from '../../lib/pauses.ts'
import type { Seal } from '../../lib/seal.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel, ChannelMap } from '../model/channel.ts'
import { createChannelIndex } from './channel-index.ts'
import { listChannelSizes, listChannels } from './channel-queries.ts'
import { type ChannelRow, createOpenRow, type OpenedRow, type UnusedReason } from './open-channel.ts'

export interface Channels {
  /**
   * The current map. It is never older than the last change of a few channels. While many are read, the channels stay as they are until
   * their turn comes.
   */
  current(): ChannelMap | Promise<ChannelMap>
  /**
   * Notes that channels have changed. The next request reads a few itself; many are read in steps between the requests.
   * @param ids `null`: any of them
   * @returns when many channels have been read
   */
  changed(ids: readonly number[] | null): Promise<void>
  /** Rows that list a model and that no request uses, by id, as they were when the current map was read. */
  unused(model: string): readonly UnusedRow[]
  /** How much all channels have together. */
  totals(): Promise<ChannelTotals>
  /** Called for every failed attempt of a client's request. */
  failed: OnFailure
}

/** What the size of all channels together is measured by. */
export interface ChannelTotals {
  readonly channels: number
  /** Different names of models. */
  readonly models: number
  /** Characters of all lists of models, and of all other settings as they are stored. */
  readonly modelCharacters: number
  readonly settingCharacters: number
  /** Which of these names are none of the counted ones. */
  newModels(names: readonly string[]): readonly string[]
}

export interface UnusedRow {
  readonly row: ChannelRow
  readonly reason: UnusedReason
}

interface ChannelsDeps {
  readonly db: Db
  readonly seal: Seal
  readonly log: Logger
  readonly failed: OnFailure
  /** Called with the channels after every change, before one is chosen. */
  readonly mapped: (channels: ChannelMap['all']) => void
}

type OnFailure = (channel: Channel, failed: AttemptFailure) => void

/** Most channels of one change that a request waits for, and that one query reads for it. */
const awaitedMax = 8
/** Most channels, and about the most bytes, that one query reads. */
const stepChannelsMax = 64
const stepBytesMax = 1024 * 1024

export function createChannels({ db, seal, log, failed, mapped }: ChannelsDeps): Channels {
  const open = createOpenRow(seal, log)
  const index = createChannelIndex()
  /** A channel whose row is the same stays the same object, and keeps what was found out about it. */
  const known = new Map<number, OpenedRow>()
  const sizes = { modelCharacters: 0, settingCharacters: 0 }
  const reading = createMutex()
  let isLoaded = false
  /** Whether any channel may have changed. */
  let isStale = true
  let loading: Promise<void> | null = null
  /** Channels that have changed and that the next request waits for. */
  const changedIds = new Set<number>()
  let readingChanged: Promise<void> | null = null

  function count(row: ChannelRow | undefined, sign: 1 | -1): void {
    if (row === undefined) return
    sizes.modelCharacters += sign * row.models.length
    sizes.settingCharacters += sign * settingCharactersOf(row)
  }

  function forget(id: number): void {
    count(known.get(id)?.row, -1)
    known.delete(id)
    index.remove(id)
  }

  function take(row: ChannelRow): void {
    const before = known.get(row.id)
    if (before !== undefined && isSame(before.row, row)) return
    const opened = open(row)
    count(before?.row, -1)
    count(opened.row, 1)
    known.set(row.id, opened)
    if (opened.channel === null) index.remove(row.id)
    else index.put(opened.channel)
  }

  /** One query, and its rows in steps. Others do not read meanwhile, so that of two reads of a channel the later one counts. */
  async function readChannels(ids: readonly number[]): Promise<void> {
    const release = await reading.acquire()
    try {
      const pause = createPauses()
      const rows = await listChannels(db, ids)
      const existing = new Set(rows.map(({ id }) => id))
      for (const id of ids) if (!existing.has(id)) forget(id)
      for (const row of rows) {
        await pause()
        take(row)
      }
      mapped(index.map.all)
    } finally {
      release()
    }
  }

  /** Removes the channels that are gone. @returns the ids of the others, in steps */
  async function beginLoad(): Promise<ReadonlyArray<readonly number[]>> {
    const release = await reading.acquire()
    try {
      const stored = await listChannelSizes(db)
      const ids = new Set(stored.map(({ id }) => id))
      for (const id of known.keys()) if (!ids.has(id)) forget(id)
      return inSteps(stored)
    } finally {
      release()
    }
  }

  async function load(): Promise<void> {
    while (isStale) {
      isStale = false
      const pause = createPauses()
      try {
        for (const ids of await beginLoad()) {
          await readChannels(ids)
          await pause()
        }
      } catch (error) {
        isStale = true
        throw error
      }
    }
    isLoaded = true
  }

  function loaded(): Promise<void> {
    loading ??= load().finally(() => {
      loading = null
    })
    return loading
  }

  async function readChangedIds(): Promise<void> {
    while (changedIds.size > 0) {
      const ids = [...changedIds].slice(0, awaitedMax)
      for (const id of ids) changedIds.delete(id)
      try {
        await readChannels(ids)
      } catch (error) {
        for (const id of ids) changedIds.add(id)
        throw error
      }
    }
  }

  async function upToDate(): Promise<ChannelMap> {
    if (!isLoaded) await loaded()
    while (changedIds.size > 0 || readingChanged !== null) {
      readingChanged ??= readChangedIds().finally(() => {
        readingChanged = null
      })
      await readingChanged
    }
    return index.map
  }

  const report = (err: unknown): void => log.error({ err }, 'channels not readable')

  return {
    current() {
      if (isLoaded && changedIds.size === 0 && readingChanged === null) {
        if (isStale && loading === null) loaded().catch(report)
        return index.map
      }
      return upToDate()
    },
    async changed(ids) {
      const areFew = ids !== null && ids.length <= awaitedMax
      if (areFew) for (const id of ids) changedIds.add(id)
      else isStale = true
      if (!isLoaded || (areFew && changedIds.size <= awaitedMax)) return
      await (areFew ? upToDate() : loaded()).catch(report)
    },
    unused: (model) => unusedRows(known.values(), model),
    async totals() {
      await upToDate()
      const { size, has } = index.models
      return { channels: known.size, models: size(), ...sizes, newModels: (names) => names.filter((name) => !has(name)) }
    },
    failed,
  }
}

function unusedRows(opened: Iterable<OpenedRow>, model: string): readonly UnusedRow[] {
  const rows: UnusedRow[] = []
  for (const one of opened) {
    if (one.channel !== null || !one.row.models.includes(model)) continue
    if (one.row.models.split(',').includes(model)) rows.push(one)
  }
  return rows.sort(({ row }, { row: other }) => row.id - other.id)
}

/** Whether two rows of a channel say the same. */
function isSame(one: ChannelRow, other: ChannelRow): boolean {
  const names = Object.keys(one)
  // Holds: both are rows of one query.
  return names.every((name) => one[name as keyof ChannelRow] === other[name as keyof ChannelRow])
}

/** Ids in the order of the rows, as many in a step as one query should read. */
function inSteps(rows: Awaited<ReturnType<typeof listChannelSizes>>): ReadonlyArray<readonly number[]> {
  const steps: number[][] = []
  let room = 0
  for (const { id, bytes } of rows) {
    const last = steps.at(-1)
    if (last === undefined || last.length === stepChannelsMax || bytes > room) {
      steps.push([id])
      room = stepBytesMax - bytes
    } else {
      last.push(id)
      room -= bytes
    }
  }
  return steps
}
