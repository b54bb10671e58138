import type { Seal } from '../../lib/seal.ts'
import { mergeSettings, type SettingsInput } from './settings.ts'

/** The column that an edit of settings changes: sealing gives a different text each time, so unchanged ones are not sealed again. */
export function settingsChange(seal: Seal, sealed: string, given: SettingsInput): { readonly settings_sealed?: string } {
  const before = sealed === '' ? '' : seal.open(sealed, 'channel-settings')
  const after = mergeSettings(before, given)
  return after === before ? {} : { settings_sealed: after === '' ? '' : seal.seal(after, 'channel-settings') }
}
