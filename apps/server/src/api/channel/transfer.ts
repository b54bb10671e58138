import {
  batchMax,
  type ChannelFile,
  type ChannelRows,
  channelFileMax,
  channelFileVersion,
  channelRowsIn,
  channelStatus,
  type contract,
  type FileChannel,
  type ImportedRow,
  type ImportSource,
  importRowsMax,
  type Language,
  type ParsedInputOf,
  sourceOfRows,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds, utcTime } from '../../lib/clock.ts'
import { type Seal, sealUnlessEmpty } from '../../lib/seal.ts'
import type { Audit } from '../audit.ts'
import { authorizeReauthentication } from '../authorize.ts'
import type { Handlers } from '../implement.ts'
import { type ChannelSecrets, createOpenChannelSecrets, unreadableIn } from './channel-secrets.ts'
import { maskConfig, mergeConfig } from './config.ts'
import { insertChannels, type KeyedChannel, listChannelIds, listSealed, listTakenNames } from './queries.ts'
import { checkNewChannel, type NewChannel, type ReadChannel, readOwnChannel } from './read-channel.ts'
import { maskSettings, openedSettings } from './settings.ts'
import { createTargetChecks, type TargetCheckDeps } from './target-checks.ts'
import { type ChannelTexts, type ChannelTotals, checkCreated, checkTotals } from './totals.ts'

/** Reads a row of another product. */
export type ReadForeign = (
  row: unknown,
  how: { readonly from: Exclude<ImportSource, 'sluice'>; readonly language: Language },
) => ReadChannel

interface TransferDeps extends TargetCheckDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly audit: Audit
  readonly channelTotals: () => Promise<ChannelTotals>
  readonly changed: (ids: readonly number[]) => Promise<void>
  readonly readForeign: ReadForeign
}

type TransferCalls = 'exportFile' | 'exportKeys' | 'importFile'
type ExportInput = ParsedInputOf<typeof contract.channel.exportFile>
type Sealed = Awaited<ReturnType<typeof listSealed>>[number]

type Readable = { readonly [Name in keyof ChannelSecrets]: string }

interface FileForm {
  readonly write: (row: Sealed, secrets: Readable) => FileChannel
  readonly hasKeys: boolean
}

/** Channels that one query reads. */
const stepRows = 500

/** The export and the import of channels as files. */
export function transferCalls({ db, seal, clock, audit, channelTotals, changed, readForeign, ...reach }: TransferDeps) {
  const checks = createTargetChecks(reach)

  async function chosen({ ids, ...filters }: ExportInput): Promise<readonly Sealed[]> {
    const selectedIds = ids.length > 0 ? [...new Set(ids)] : await listChannelIds(db, filters, channelFileMax + 1)
    if (selectedIds.length > channelFileMax) throw new AppError('channel_export_too_many', { params: { max: channelFileMax } })
    const rows: Sealed[] = []
    for (const step of inSteps(selectedIds.toSorted((a, b) => b - a))) rows.push(...(await listSealed(db, step)))
    return rows
  }

  const secrets = createOpenChannelSecrets(seal)

  /** Without secrets. */
  const withoutSecrets = (row: Sealed, { config, settings }: Readable): FileChannel => ({
    ...plainOf(row),
    config: mergeConfig('', maskConfig(config)),
    ...maskSettings(settings),
  })

  const whole = (row: Sealed, { key, config, settings }: Readable): FileChannel => ({
    ...plainOf(row),
    ...{ key, config },
    ...openedSettings(settings),
  })

  /** What it has of a channel that cannot be read is not in the file: an import would make another channel of it. */
  function fileOf(rows: readonly Sealed[], { write, hasKeys }: FileForm): ChannelFile {
    const channels: FileChannel[] = []
    const leftOut: ChannelFile['left_out'] = []
    for (const row of rows) {
      const { key, config, settings } = secrets.all(row)
      const needed = { key: hasKeys ? key : '', config, settings }
      if (isReadable(needed)) channels.push(write(row, needed))
      else leftOut.push({ id: row.id, name: row.name, unreadable: unreadableIn(needed) })
    }
    return { sluice: 'channels', version: channelFileVersion, exported_at: utcTime(nowSeconds(clock)), channels, left_out: leftOut }
  }

  /** The rows that a channel of a file becomes: one for each of its keys. */
  const rowsOf = ({ keys, config, settings, ...plain }: NewChannel, createdTime: number): readonly KeyedChannel[] => {
    const sealed = {
      config_sealed: sealUnlessEmpty(seal, config, 'channel-config'),
      settings_sealed: sealUnlessEmpty(seal, settings, 'channel-settings'),
    }
    return keys.map(({ key, status }) => ({ key, row: { ...plain, ...sealed, status, created_time: createdTime } }))
  }

  const calls: Pick<Handlers<typeof contract.channel>, TransferCalls> = {
    exportFile: async (input) => fileOf(await chosen(input), { write: withoutSecrets, hasKeys: false }),

    async exportKeys(input, caller) {
      const refusal = authorizeReauthentication(caller)
      if (refusal !== null) throw new AppError(refusal)
      const rows = await chosen(input)
      const params = { count: rows.length, ids: rangesOf(rows.map(({ id }) => id)) }
      await audit({ actor: caller, messageKey: 'log_channel_keys_exported', params })
      return fileOf(rows, { write: whole, hasKeys: true })
    },

    async importFile({ file, from: requestedSource, dry_run: isDry }, caller, { language }) {
      const channelRows = rowsIn(file)
      const { rows } = channelRows
      const from = requestedSource ?? sourceOfRows(channelRows)
      const read: ReadChannel[] = []
      for (const row of rows) {
        const result = from === 'sluice' ? readOwnChannel(row, language) : readForeign(row, { language, from })
        read.push('reason' in result ? result : await checkNewChannel(result, { ...checks, caller }, language))
      }
      const total = read.reduce((sum, row) => sum + ('reason' in row ? 0 : row.channel.keys.length), 0)
      if (total > batchMax) throw new AppError('channel_keys_too_many', { params: { max: batchMax }, field: 'file' })
      const stored = read.flatMap((row) => ('reason' in row ? [] : [{ texts: textsOf(row.channel), count: row.channel.keys.length }]))
      checkCreated(stored, 'file')
      checkTotals(await channelTotals(), stored, 'file')
      const taken = await listTakenNames(db, [...new Set(read.flatMap((row) => ('reason' in row ? [] : [row.channel.name])))])
      const added = isDry || total === 0 ? null : await add(read, caller)
      return { from, rows: read.map((row, index) => reportOf(row, { taken, ids: added?.get(index) ?? [] })) }
    },
  }

  /** All in one transaction, so that after a failure nothing of the call was added. @returns the ids of the channels of each row */
  async function add(read: readonly ReadChannel[], actor: Parameters<Audit>[0]['actor']): Promise<ReadonlyMap<number, readonly number[]>> {
    const createdTime = nowSeconds(clock)
    const added = await db.transaction().execute(async (tx) => {
      const idsOf = new Map<number, readonly number[]>()
      for (const [index, row] of [...read.entries()].reverse())
        if (!('reason' in row)) idsOf.set(index, await insertChannels(tx, seal, rowsOf(row.channel, createdTime)))
      const ids = [...idsOf.values()].flat()
      await audit({ actor, messageKey: 'log_channels_imported', params: { count: ids.length, ids: rangesOf(ids) } }, tx)
      return idsOf
    })
    await changed([...added.values()].flat())
    return added
  }

  return calls
}

/** @throws AppError channel_file_unknown, channel_file_version, channel_file_too_many */
function rowsIn(file: unknown): ChannelRows {
  const channelRows = channelRowsIn(file)
  if (channelRows === null) throw new AppError('channel_file_unknown')
  const { rows, version } = channelRows
  if (version !== null && version !== channelFileVersion)
    throw new AppError('channel_file_version', { params: { version: String(version).slice(0, 32), known: channelFileVersion } })
  if (rows.length > importRowsMax) throw new AppError('channel_file_too_many', { params: { max: importRowsMax } })
  return channelRows
}

/** The texts of a channel, as long as they are before they are sealed. */
function textsOf({ models, model_mapping, other, config, settings }: NewChannel): ChannelTexts {
  return { models, model_mapping: model_mapping ?? '', other, config_sealed: config, settings_sealed: settings }
}

function isReadable(secrets: ChannelSecrets): secrets is Readable {
  return unreadableIn(secrets).length === 0
}

function plainOf({ name, type, status, base_url, other, models, model_mapping, groups, tag, priority, weight }: Sealed) {
  return { name, type, status, base_url, other, models, model_mapping, group: groups, tag, priority, weight }
}

function reportOf(row: ReadChannel, { taken, ids }: { readonly taken: ReadonlySet<string>; readonly ids: readonly number[] }): ImportedRow {
  if ('reason' in row)
    return { name: row.name, type: row.type, state: 'invalid', reason: row.reason, notes: [], status: 0, models: '', count: 0, ids: [] }
  const { channel, notes } = row
  const { name, type, models, keys } = channel
  return {
    ...{ name, type, models, reason: '', notes: [...notes], count: keys.length, ids: [...ids] },
    state: taken.has(name) ? 'exists' : 'new',
    status: keys[0]?.status ?? channelStatus.disabled,
  }
}

/** `3-5, 9` for 3, 4, 5 and 9: short also for thousands of ids. */
function rangesOf(ids: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && id === last.to + 1) last.to = id
    else ranges.push({ from: id, to: id })
  }
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}

function inSteps(ids: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(ids.length / stepRows) }, (_, step) => ids.slice(step * stepRows, (step + 1) * stepRows))
}
