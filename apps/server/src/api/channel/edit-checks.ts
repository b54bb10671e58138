import { type contract, type ParsedInputOf, rawProxyType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Seal } from '../../lib/seal.ts'
import { keepsSecretMembers, mergeConfig } from './config.ts'
import type { StoredChannel } from './queries.ts'
import { checkProxyRules } from './raw-proxy-rules.ts'
import { sendsElsewhere } from './secret-target.ts'
import { keepsHeaderValues, maskSettings, openedSettings, proxyOf } from './settings.ts'
import type { Target, TargetChecks } from './target-checks.ts'

type ChannelEdit = ParsedInputOf<typeof contract.channel.update>

interface EditCheckDeps extends Pick<TargetChecks, 'checkTarget' | 'checkReach'> {
  readonly seal: Seal
  /** The key of a stored channel. */
  readonly keyOf: (from: Db, id: number) => Promise<string>
}

/** Whether a channel would be usable, and would keep its secrets, as an edit leaves it. */
export function createEditChecks({ seal, keyOf, checkTarget, checkReach }: EditCheckDeps) {
  const openConfig = (sealed: string): string => (sealed === '' ? '' : seal.open(sealed, 'channel-config'))
  const openSettings = (sealed: string): string => (sealed === '' ? '' : seal.open(sealed, 'channel-settings'))

  /** The way to the vendor of a stored channel after an edit. */
  async function targetAfter(from: Db, stored: StoredChannel, edit: ChannelEdit): Promise<Target> {
    const given = (edit.key ?? '').trim()
    return {
      type: edit.type ?? stored.type,
      base_url: edit.base_url ?? stored.base_url,
      other: edit.other ?? stored.other,
      key: given === '' ? await keyOf(from, stored.id) : given,
      config: mergeConfig(openConfig(stored.config_sealed), edit.config ?? openConfig(stored.config_sealed)),
    }
  }

  /** @throws AppError channel_key_again when the edit would send stored secrets to another address without entering them again */
  async function checkSecretTarget(from: Db, stored: StoredChannel, edit: ChannelEdit): Promise<void> {
    const settings = openSettings(stored.settings_sealed)
    const before = { type: stored.type, base_url: stored.base_url, proxy: proxyOf(settings) }
    const after = { type: edit.type ?? before.type, base_url: edit.base_url ?? before.base_url, proxy: edit.proxy ?? before.proxy }
    if (!sendsElsewhere(before, after)) return
    const keepsKey = (edit.key ?? '').trim() === '' && (await keyOf(from, stored.id)) !== ''
    const keepsOthers = keepsSecretMembers(openConfig(stored.config_sealed), edit.config) || keepsHeaderValues(settings, edit)
    if (keepsKey || keepsOthers) throw new AppError('channel_key_again', keepsKey ? { field: 'key' } : {})
  }

  /** @throws AppError when the channel would not be usable as the edit leaves it */
  async function checkEdit(from: Db, stored: StoredChannel, edit: ChannelEdit): Promise<void> {
    if (changesTarget(edit)) checkTarget(await targetAfter(from, stored, edit))
    await checkSecretTarget(from, stored, edit)
    if (edit.type === rawProxyType && stored.type !== rawProxyType)
      checkProxyRules(edit.type, { ...openedSettings(openSettings(stored.settings_sealed)), ...edit })
    if ((edit.models ?? stored.models) === '' && (edit.type ?? stored.type) !== rawProxyType) throw new AppError('channel_models_required')
  }

  /**
   * Asks the resolver, so it is no part of the transaction. An address that stays is not checked: the channel works, or is refused when it connects.
   * @throws AppError base_url_private, base_url_forbidden, proxy_private, proxy_forbidden
   */
  async function checkEditedReach(stored: StoredChannel, edit: ChannelEdit): Promise<void> {
    const settings = openSettings(stored.settings_sealed)
    const before = { type: stored.type, base_url: stored.base_url, proxy: maskSettings(settings).proxy }
    const after = { type: edit.type ?? before.type, base_url: edit.base_url ?? before.base_url, proxy: edit.proxy ?? before.proxy }
    if (!Bun.deepEquals(before, after)) await checkReach(after)
  }

  return { checkEdit, checkSecretTarget, checkEditedReach }
}

const targetMembers = ['type', 'base_url', 'key', 'config', 'other'] as const

function changesTarget(edit: ChannelEdit): boolean {
  // Some types must have the further setting, so it matters if it is emptied.
  return edit.other === '' || targetMembers.some((name) => edit[name] !== undefined && edit[name] !== null && edit[name] !== '')
}
