import type { Vendor } from '../core/vendor.ts'
import { addressed, type StoredFacts } from './channel-facts.ts'
import { vendors } from './list.ts'

/** What a header can carry as one credential: no scheme such as `Bearer` before it, no copied line or invisible character, no address. */
const isWord = (key: string): boolean => /^[!-~]+$/.test(key) && !/^https?:\/\//i.test(key)

/** Whether a key is one word, or several parts or a JSON text where the vendor's keys may be so. Raw proxies send a whole header. */
export function isWordOrParts({ key: { isValid }, rawProxy }: Pick<Vendor, 'key' | 'rawProxy'>, key: string): boolean {
  return rawProxy !== undefined || isWord(key) || (isValid !== undefined && /[|{]/.test(key))
}

/**
 * Whether a key may be one that the vendor gave out. Only channels that call the vendor itself are judged: another server may have any keys, and of
 * companies that sell access to others no page documents what keys they take.
 */
export function mayBeOwn(vendor: Vendor, key: string, stored: StoredFacts): boolean {
  const { rawProxy, group } = vendor
  const { isValid, isOwn, prefix } = vendor.key
  if (rawProxy !== undefined || group === 'proxies' || group === 'self_hosted' || !isAtVendor(vendor, stored)) return true
  if (isValid === undefined && key.includes('|')) return false
  const isOfOther = vendors.some(({ key: other }) => other.prefix !== undefined && other.prefix !== prefix && key.startsWith(other.prefix))
  return !isOfOther && isOwn?.(key) !== false
}

function isAtVendor(vendor: Vendor, stored: StoredFacts): boolean {
  const own = addressed(vendor, { ...stored, baseUrl: '' })
  return stored.baseUrl === '' || (own !== null && hostOf(stored.baseUrl) === hostOf(own.facts.baseUrl))
}

const hostOf = (address: string): string => /^https?:\/\/([^/?#]+)/i.exec(address)?.[1]?.toLowerCase() ?? ''
