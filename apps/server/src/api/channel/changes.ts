import type { Updateable } from 'kysely'
import type { ChannelTable } from '../../db/schema.ts'
import type { StoredChannel } from './queries.ts'

/** Columns that have another name on the wire. */
const wireNames: Readonly<Record<string, string>> = {
  key_sealed: 'key',
  config_sealed: 'config',
  groups: 'group',
  settings_sealed: 'settings',
}

/** Names of the members that an edit really changes, for the log; values may be secret and are not logged. */
export function changedFields(stored: StoredChannel, change: Updateable<ChannelTable>): readonly string[] {
  const before: Readonly<Record<string, unknown>> = stored
  return Object.entries(change)
    .filter(([name, value]) => before[name] !== value)
    .map(([name]) => wireNames[name] ?? name)
    .sort()
}
