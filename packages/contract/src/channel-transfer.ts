import * as z from 'zod/mini'
import { channelSettingsRow, channelUnreadable } from './channel-settings.ts'
import { id, says, searchText } from './parts.ts'

/** The version of the file that channels are exported to. */
export const channelFileVersion = 1

/** Most channels of one exported file, and of one that the console imports. */
export const channelFileMax = 5_000

/** Most rows of a file that one call imports, so that its transaction is short. Longer files are sent in parts. */
export const importRowsMax = 100

/** The products whose channels can be imported. */
export const importSources = ['sluice', 'one-api', 'new-api', 'ezlinkai'] as const
export type ImportSource = (typeof importSources)[number]

/** 0 = all. */
const filterNumber = z._default(z.int(says('invalid_parameter')).check(z.gte(0, says('invalid_parameter'))), 0)

/** Which channels a file has: those with the given ids, or without ids all that match the filters of the list. */
export const channelFileParams = z.object({
  ids: z._default(z.array(id).check(z.maxLength(channelFileMax, says('invalid_parameter'))), []),
  keyword: searchText,
  status: filterNumber,
  type: filterNumber,
  group: searchText,
})

/** What an administrator sets on a channel. */
const fileChannel = z.object({
  name: z.string(),
  type: z.int(),
  status: z.int(),
  /** Only in files with keys. */
  key: z.optional(z.string()),
  base_url: z.string(),
  other: z.string(),
  models: z.string(),
  model_mapping: z.string(),
  group: z.string(),
  tag: z.string(),
  priority: z.int(),
  weight: z.int(),
  /** JSON object text; in files without keys, secret members are missing. */
  config: z.string(),
  ...channelSettingsRow,
})
export type FileChannel = z.output<typeof fileChannel>

/** A file of channels, newest first. */
export const channelFile = z.object({
  sluice: z.literal('channels'),
  version: z.literal(channelFileVersion),
  /** ISO 8601. */
  exported_at: z.string(),
  channels: z.array(fileChannel),
  /** Channels that are not in the file, because what is named cannot be read with this master key. An import ignores them. */
  left_out: z.array(z.object({ id: z.int(), name: z.string(), unreadable: channelUnreadable })),
})
export type ChannelFile = z.output<typeof channelFile>

export const importParams = z.object({
  /** A file of channels, or the response of another gateway to `GET /api/channel/`. */
  file: z.unknown().register(z.globalRegistry, {
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
  }),
  /** Whose channel types the file has; missing = found by its members. */
  from: z.optional(z.nullable(z.enum(importSources))),
  /** Only says what would be imported. */
  dry_run: z._default(z.boolean(says('invalid_parameter')), false),
})

/** What becomes of one row of the file. */
const importedRow = z.object({
  name: z.string(),
  /** The type here; 0 = none. */
  type: z.int(),
  /** `exists`: there is a channel of this name; it is imported as another one. `invalid`: it is not imported. */
  state: z.enum(['new', 'exists', 'invalid']),
  /** Why it is invalid. */
  reason: z.string(),
  /** What is not as it is in the file. */
  notes: z.array(z.string()),
  status: z.int(),
  models: z.string(),
  /** Number of channels that it becomes: one for each key. */
  count: z.int(),
  /** The channels that it became; empty in a dry run. */
  ids: z.array(z.int()),
})
export type ImportedRow = z.output<typeof importedRow>

/** One row for each row of the file, in its order. */
export const importReport = z.object({ from: z.enum(importSources), rows: z.array(importedRow) })

/** The rows of a file of channels, and its version: `null` if the file has none. */
export interface ChannelRows {
  readonly rows: readonly unknown[]
  readonly version: unknown
}

/** Finds the rows in a file of ours or in a response of another gateway; `null` = it has none. */
export function channelRowsIn(file: unknown): ChannelRows | null {
  for (let depth = 0, inside = file; depth <= rowsDepthMax && isObject(inside); depth++) {
    if (Array.isArray(inside)) return { rows: inside, version: null }
    const { sluice, channels } = inside
    if (sluice === 'channels' && Array.isArray(channels)) return { rows: channels, version: inside['version'] }
    inside = inside['data'] ?? inside['items']
  }
  return null
}

/** A response has its rows in `data`, or in `data.items`. */
const rowsDepthMax = 2

/** Whose rows these are: ours if they are of a file of ours, else by the members that only one product has. */
export function sourceOfRows({ rows, version }: ChannelRows): ImportSource {
  if (version !== null) return 'sluice'
  const match = marks.find(({ members }) => rows.some((row) => isObject(row) && members.some((name) => Object.hasOwn(row, name))))
  return match?.from ?? 'one-api'
}

const marks: ReadonlyArray<{ readonly from: ImportSource; readonly members: readonly string[] }> = [
  { from: 'sluice', members: ['in_flight_max', 'auto_disable'] },
  { from: 'ezlinkai', members: ['multi_key_info', 'auto_disabled'] },
  { from: 'new-api', members: ['channel_info', 'auto_ban'] },
]

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
