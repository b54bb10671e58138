import type { Vendor } from './vendor.ts'

/** What a header can carry as one credential: no scheme such as `Bearer` before it, no copied line or invisible character, no address. */
const isWord = (key: string): boolean => /^[!-~]+$/.test(key) && !/^https?:\/\//i.test(key)

/** Whether a key is one word, or several parts or a JSON text where the vendor's keys may be so. Raw proxies send a whole header. */
export function isWordOrParts({ isKey, rawProxy }: Pick<Vendor, 'isKey' | 'rawProxy'>, key: string): boolean {
  return rawProxy !== undefined || isWord(key) || (isKey !== undefined && /[|{]/.test(key))
}
