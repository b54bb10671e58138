import { type ImportSource, type Language, messageText } from '@sluice/contract'
import { mergeSettings, newSettings } from '../api/channel/settings.ts'
import { readRow } from './cells.ts'
import { channelColumns, type PlannedChannel, planChannel } from './plan-channel.ts'

/** How a channel of another product is read: with its members as that product's API shows them, which are those of its table. */
interface ForeignFormat {
  readonly from: Exclude<ImportSource, 'sluice'>
  readonly language: Language
}

/** A channel as it will be stored, or why it cannot be. */
type Read =
  | { readonly channel: ReturnType<typeof channelOf>; readonly notes: readonly string[] }
  | { readonly name: string; readonly type: number; readonly reason: string }

/** Reads rows by the rules for databases of other products, except that a channel may lack its key, which their APIs never show. */
export function createReadForeign(ownPort: () => number): (row: unknown, how: ForeignFormat) => Read {
  return (value, { from, language }) => {
    const say = (reason: string, name = ''): Read => ({ name: name.slice(0, 128), type: 0, reason })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return say(messageText('import_row_unreadable', {}, language))
    const row = readRow(channelColumns, { ...value })
    if (typeof row === 'string') return say(messageText('import_column_unreadable', { column: row }, language))
    const plan = planChannel(row, { dialect: from, ownPort: ownPort(), needsKey: false, language })
    if (plan.do === 'take') return { channel: channelOf(plan.value), notes: plan.notes }
    return say(plan.do === 'leave' ? '' : plan.why, row.name)
  }
}

/** What an administrator sets, without the history that the channel has in the other product. */
function channelOf({ keys, config, settings, row }: PlannedChannel) {
  const { name, type, base_url = '', other = '', models, model_mapping, groups, tag = '', priority, weight } = row
  const plain = { name, type, base_url, other, models, model_mapping, groups, tag, priority, weight }
  // A new channel here, whatever it was there.
  return { ...plain, config, settings: mergeSettings(settings, newSettings({})), keys }
}
