import { AppError } from '../../lib/app-error.ts'
import type { Seal } from '../../lib/seal.ts'
import { mayAllowMembers, type Person } from '../authorize.ts'
import { mergeSettings, openedSettings, type SettingsInput } from './settings.ts'

interface Edit {
  readonly given: SettingsInput
  readonly caller: Person
}

/** The column that an edit of settings changes: sealing gives a different text each time, so unchanged ones are not sealed again. @throws AppError */
export function settingsChange(seal: Seal, sealed: string, { given, caller }: Edit): { readonly settings_sealed?: string } {
  const before = sealed === '' ? '' : seal.open(sealed, 'channel-settings')
  checkAllowedMembers(before, given, caller)
  const after = mergeSettings(before, given)
  return after === before ? {} : { settings_sealed: after === '' ? '' : seal.seal(after, 'channel-settings') }
}

/** Only some accounts may change which members a channel allows. @throws AppError allowed_members_root */
export function checkAllowedMembers(stored: string, { allowed_members: sent }: SettingsInput, caller: Person): void {
  const isChanged = sent !== undefined && sent !== null && sent !== openedSettings(stored).allowed_members
  if (isChanged && !mayAllowMembers(caller)) throw new AppError('allowed_members_root')
}
