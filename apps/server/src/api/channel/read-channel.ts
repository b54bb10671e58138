import { channelStatus, contract, isMessageKey, type Language, messageText, newChannelSettings } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { ChannelTable } from '../../db/schema.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Person } from '../authorize.ts'
import { mergeConfig } from './config.ts'
import { keysOrNone, lacksKey } from './keys.ts'
import { checkProxyRules, checkRawProxyRight } from './raw-proxy-rules.ts'
import { checkRights } from './rights.ts'
import { blankSecrets, mergeSettings, newSettings, openedSettings, proxyOf, takeSettings, withoutHiddenPassword } from './settings.ts'
import type { Target, TargetChecks } from './target-checks.ts'

type Plain = 'name' | 'type' | 'base_url' | 'other' | 'models' | 'model_mapping' | 'groups' | 'tag' | 'priority' | 'weight'

/** A channel of a file, as it will be stored. */
export interface NewChannel extends Pick<Insertable<ChannelTable>, Plain> {
  readonly name: string
  readonly type: number
  readonly base_url: string
  readonly other: string
  readonly models: string
  /** It becomes one channel for each. */
  readonly keys: ReadonlyArray<{ readonly key: string; readonly status: number }>
  /** JSON text; empty = none. */
  readonly config: string
  /** As they are stored. */
  readonly settings: string
}

/** A row of a file: a channel and what is not as it was, or why it is none. */
export type ReadChannel =
  | { readonly channel: NewChannel; readonly notes: readonly string[] }
  | { readonly name: string; readonly type: number; readonly reason: string }

/** Reads a row of a file of ours by the rules of the channel form. A status that is missing is "enabled". */
export function readOwnChannel(row: unknown, language: Language): ReadChannel {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return unreadable(language)
  const fields: Readonly<Record<string, unknown>> = { ...row }
  const refuse = (reason: string): ReadChannel => ({ ...labelOf(fields), reason })
  const { status = channelStatus.enabled, key } = fields
  if (!isStatus(status)) return refuse(messageText('status_invalid', {}, language))
  const parsed = contract.channel.create.input.safeParse({ ...fields, key: key ?? '' })
  if (!parsed.success) return refuse(faultOf(parsed.error.issues[0], language))
  const [settingsInput, { key: keyText, group, config, ...plain }] = takeSettings(parsed.data)
  const settings = newSettings(settingsInput)
  const lacking = blankSecrets(settings)
  const channel = {
    ...plain,
    groups: group,
    config: mergeConfig('', config),
    settings: mergeSettings('', { ...settings, proxy: withoutHiddenPassword(settings.proxy ?? '') }),
    keys: keysOrNone(keyText, plain.type).map((one) => ({ key: one, status: lacking.length > 0 ? channelStatus.disabled : status })),
  }
  const names = { names: lacking.join(', ') }
  return { channel, notes: lacking.length > 0 ? [messageText('import_note_secrets', names, language)] : [] }
}

interface NewChannelChecks extends TargetChecks {
  /** Who adds the channel. */
  readonly caller: Person
}

/** Checks where a channel would send its requests, and disables it if it lacks its key. */
export async function checkNewChannel(
  { channel, notes }: Extract<ReadChannel, { channel: NewChannel }>,
  { checkTarget, checkProxy, checkReach, caller }: NewChannelChecks,
  language: Language,
): Promise<ReadChannel> {
  const { name, type, base_url, other, config, keys } = channel
  try {
    const proxy = proxyOf(channel.settings)
    checkRawProxyRight(caller, type)
    checkProxyRules(type, openedSettings(channel.settings))
    for (const { key } of keys) checkAddress({ type, base_url, other, config, key }, checkTarget)
    checkProxy({ proxy })
    await checkReach({ type, base_url, proxy })
    checkRights(caller, { ...newChannelSettings, type, base_url, isKeyKept: false }, openedSettings(channel.settings))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name, type, reason: messageText(error.options.messageKey ?? error.code, error.options.params, language) }
  }
  if (!keys.some(({ key }) => lacksKey(key, type))) return { channel, notes }
  const disabled = keys.map((one) => (lacksKey(one.key, type) ? { ...one, status: channelStatus.disabled } : one))
  return { channel: { ...channel, keys: disabled }, notes: [...notes, messageText('import_note_no_key', {}, language)] }
}

/** The address of some types has parts of the key in it. Without a key it is checked when the key is entered. */
function checkAddress(target: Target, checkTarget: TargetChecks['checkTarget']): void {
  try {
    checkTarget(target)
  } catch (error) {
    const isForLater = error instanceof AppError && error.code === 'channel_config_incomplete' && lacksKey(target.key, target.type)
    if (!isForLater) throw error
  }
}

function unreadable(language: Language): ReadChannel {
  return { name: '', type: 0, reason: messageText('import_row_unreadable', {}, language) }
}

/** What a refused row is called in the report. */
function labelOf({ name, type }: Readonly<Record<string, unknown>>): { readonly name: string; readonly type: number } {
  return { name: typeof name === 'string' ? name.slice(0, 128) : '', type: Number.isSafeInteger(type) ? Number(type) : 0 }
}

function isStatus(value: unknown): value is number {
  return Object.values(channelStatus).some((status) => status === value)
}

function faultOf(issue: { readonly message: string; readonly path: readonly PropertyKey[] } | undefined, language: Language): string {
  const message = issue?.message ?? ''
  if (isMessageKey(message)) return messageText(message, {}, language)
  return messageText('invalid_parameter', { name: issue?.path.join('.') ?? '' }, language)
}
