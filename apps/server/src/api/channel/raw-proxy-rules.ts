import { rawProxyType } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { mayRunRawProxies } from '../authorize.ts'
import type { SettingsInput } from './settings.ts'

/** @throws AppError raw_proxy_needs_root when one of the types is a raw proxy, which are root's */
export function checkRawProxyRight(caller: { readonly role: number }, ...types: ReadonlyArray<number | null | undefined>): void {
  if (types.includes(rawProxyType) && !mayRunRawProxies(caller)) throw new AppError('raw_proxy_needs_root')
}

/** A new raw proxy says what it forwards. @throws AppError raw_proxy_rules_required */
export function checkProxyRules(type: number, { proxy_methods, proxy_paths }: SettingsInput): void {
  if (type !== rawProxyType) return
  if ((proxy_methods ?? '') === '') throw new AppError('raw_proxy_rules_required', { field: 'proxy_methods' })
  if ((proxy_paths ?? '') === '') throw new AppError('raw_proxy_rules_required')
}
