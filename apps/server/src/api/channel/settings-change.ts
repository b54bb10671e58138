import { type Seal, sealUnlessEmpty } from '../../lib/seal.ts'
import { hasSettings, mergeSettings, type SettingsInput } from './settings.ts'

/**
 * The column that an edit of settings changes: sealing gives a different text each time, so unchanged ones are not sealed again.
 * @param before the stored settings as text; `null`: they cannot be read, so whatever is sent replaces all of them
 */
export function settingsChange(seal: Seal, before: string | null, input: SettingsInput): { readonly settings_sealed?: string } {
  if (before === null && !hasSettings(input)) return {}
  const after = mergeSettings(before ?? '', input)
  return after === before ? {} : { settings_sealed: sealUnlessEmpty(seal, after, 'channel-settings') }
}
