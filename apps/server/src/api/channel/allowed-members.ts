import { AppError } from '../../lib/app-error.ts'
import { mayAllowMembers, type Person } from '../authorize.ts'
import { openedSettings, type SettingsInput } from './settings.ts'

/** Only some accounts may change which members a channel allows. @throws AppError allowed_members_root */
export function checkAllowedMembers(stored: string, { allowed_members: sent }: SettingsInput, caller: Person): void {
  const isChanged = sent !== undefined && sent !== null && sent !== openedSettings(stored).allowed_members
  if (isChanged && !mayAllowMembers(caller)) throw new AppError('allowed_members_root')
}
