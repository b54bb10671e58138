import { isStrict } from '@sluice/vendors/registry/strict-hosts'
import { AppError } from '../../lib/app-error.ts'
import { mayOpenChannels, type Person } from '../authorize.ts'
import type { SettingsInput } from './settings.ts'

/** What of a channel decides what its key may be used for. */
export interface KeyUse extends Pick<SettingsInput, 'allowed_members' | 'content_of_key'> {
  readonly type: number
  readonly base_url: string
  /** Whether it has a key that somebody else may have entered. */
  readonly isKeyKept: boolean
}

interface Rule {
  readonly code: 'allowed_members_root' | 'content_of_key_root' | 'channel_type_root'
  /** Whether a change lets requests use the key for more. */
  readonly opens: (before: KeyUse, after: KeyUse) => boolean
}

const forwardsAll = ({ type, base_url }: KeyUse): boolean => !isStrict({ vendor: { type }, baseUrl: base_url })

/** What only root may change, because the operator pays for it, or because it opens what all tenants of a key keep at the vendor. */
const rules: readonly Rule[] = [
  { code: 'allowed_members_root', opens: (before, after) => after.allowed_members !== before.allowed_members },
  { code: 'content_of_key_root', opens: (before, after) => after.content_of_key === true && before.content_of_key !== true },
  { code: 'channel_type_root', opens: (before, after) => after.isKeyKept && forwardsAll(after) && !forwardsAll(before) },
]

/** @param change members that are missing or `null` stay @throws AppError allowed_members_root, content_of_key_root, channel_type_root */
export function checkRights(
  caller: Person,
  before: KeyUse,
  change: { readonly [Name in keyof KeyUse]?: KeyUse[Name] | null | undefined },
): void {
  if (mayOpenChannels(caller)) return
  const after = {
    type: change.type ?? before.type,
    base_url: change.base_url ?? before.base_url,
    isKeyKept: change.isKeyKept ?? before.isKeyKept,
    allowed_members: change.allowed_members ?? before.allowed_members,
    content_of_key: change.content_of_key ?? before.content_of_key,
  }
  const broken = rules.find(({ opens }) => opens(before, after))
  if (broken !== undefined) throw new AppError(broken.code)
}
