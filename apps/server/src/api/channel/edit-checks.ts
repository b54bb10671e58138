import { type contract, type ParsedInputOf, rawProxyType } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import type { OpenChannelSecrets } from './channel-secrets.ts'
import { keepsSecretMembers, mergeConfig } from './config.ts'
import type { StoredChannel } from './queries.ts'
import { checkProxyRules } from './raw-proxy-rules.ts'
import { sendsElsewhere } from './secret-target.ts'
import { hasSettings, keepsHeaderValues, maskSettings, openedSettings, proxyOf, takeSettings } from './settings.ts'
import type { Target, TargetChecks } from './target-checks.ts'

type ChannelEdit = ParsedInputOf<typeof contract.channel.update>

interface EditCheckDeps extends Pick<TargetChecks, 'checkTarget' | 'checkReach'> {
  readonly secrets: OpenChannelSecrets
}

/** Whether a channel would be usable, and would keep its secrets, as an edit leaves it. */
export function createEditChecks({ secrets, checkTarget, checkReach }: EditCheckDeps) {
  /** The way to the vendor of a stored channel after an edit. */
  function targetAfter(stored: StoredChannel, edit: ChannelEdit): Target {
    const newKey = (edit.key ?? '').trim()
    const config = secrets.config(stored.config_sealed) ?? ''
    return {
      type: edit.type ?? stored.type,
      base_url: edit.base_url ?? stored.base_url,
      other: edit.other ?? stored.other,
      key: newKey === '' ? (secrets.key(stored) ?? '') : newKey,
      config: mergeConfig(config, edit.config ?? config),
    }
  }

  /** @throws AppError channel_key_reentry_required when the edit would send stored secrets to another address without entering them again */
  function checkSecretTarget(stored: StoredChannel, edit: ChannelEdit): void {
    const { key, config, settings } = secrets.all(stored)
    const before = { type: stored.type, base_url: stored.base_url, proxy: proxyOf(settings ?? '') }
    const after = { type: edit.type ?? before.type, base_url: edit.base_url ?? before.base_url, proxy: edit.proxy ?? before.proxy }
    if (!sendsElsewhere(before, after)) return
    const keepsKey = (edit.key ?? '').trim() === '' && key !== ''
    const keepsOthers = keepsConfig(config, edit) || keepsSettings(settings, edit)
    if (keepsKey || keepsOthers) throw new AppError('channel_key_reentry_required', keepsKey ? { field: 'key' } : {})
  }

  /** @throws AppError when the channel would not be usable as the edit leaves it */
  function checkEdit(stored: StoredChannel, edit: ChannelEdit): void {
    if (changesTarget(edit)) checkTarget(targetAfter(stored, edit))
    checkSecretTarget(stored, edit)
    if (edit.type === rawProxyType && stored.type !== rawProxyType)
      checkProxyRules(edit.type, { ...openedSettings(secrets.settings(stored.settings_sealed) ?? ''), ...edit })
    if ((edit.models ?? stored.models) === '' && (edit.type ?? stored.type) !== rawProxyType) throw new AppError('channel_models_required')
  }

  /**
   * Asks the resolver, so it is no part of the transaction. An address that stays is not checked: the channel works, or is refused when it connects.
   * @throws AppError base_url_private, base_url_forbidden, proxy_private, proxy_forbidden
   */
  async function checkEditedReach(stored: StoredChannel, edit: ChannelEdit): Promise<void> {
    const settings = secrets.settings(stored.settings_sealed) ?? ''
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

/** What cannot be read now can be read when its master key is back, so it counts as a secret unless it is replaced. */
function keepsConfig(config: string | null, edit: ChannelEdit): boolean {
  return config === null ? (edit.config ?? null) === null : keepsSecretMembers(config, edit.config)
}

function keepsSettings(settings: string | null, edit: ChannelEdit): boolean {
  return settings === null ? !hasSettings(takeSettings(edit)[0]) : keepsHeaderValues(settings, edit)
}
