import { type ChannelRow, noChannelSettings } from '@sluice/contract'
import type { Change } from '../change-queries.ts'

/** The members of a row that an administrator sets; what the server counts or finds out is no part of a history. */
const setMembers = [
  ...(['type', 'name', 'status', 'base_url', 'other', 'models', 'group', 'tag', 'model_mapping', 'priority', 'weight', 'config'] as const),
  // Holds: the keys of the object are the names of the settings.
  ...(Object.keys(noChannelSettings) as readonly (keyof typeof noChannelSettings)[]),
]

interface Edit {
  readonly before: ChannelRow
  readonly after: ChannelRow
  /** What the edit changed, as `changedFields` names it. */
  readonly fields: readonly string[]
}

/** What the history keeps of an edit of a channel. A change of secrets alone is named, and shows no values. */
export function channelChange({ before, after, fields }: Edit): Change {
  const names = setMembers.filter((name) => before[name] !== after[name])
  const part = (row: ChannelRow) => Object.fromEntries(names.map((name) => [name, row[name]]))
  const isSeen: Readonly<Record<string, boolean>> = {
    key: false,
    config: names.includes('config'),
    settings: names.some((name) => Object.hasOwn(noChannelSettings, name)),
  }
  const hidden = fields.filter((field) => isSeen[field] === false)
  return { noun: 'channel', target: String(after.id), before: part(before), after: part(after), hidden }
}
