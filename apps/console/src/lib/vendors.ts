import { vendorByType as recordByType, vendors as records } from '@sluice/vendors/registry/list'
import type { Locale } from './t.ts'
import type { VendorFacts } from './vendor-facts.ts'

/** Every vendor, in the order in which the form offers them. */
export const vendors: readonly VendorFacts[] = records

/** `null` = unknown channel type. */
export const vendorByType: (type: number) => VendorFacts | null = recordByType

/** What the key field of a vendor shows while it is empty. */
export function keyHintOf({ key: { hint, hintZh = hint } }: Pick<VendorFacts, 'key'>, locale: Locale): string {
  return locale === 'zh' ? hintZh : hint
}

export function vendorName({ name, nameZh }: VendorFacts, locale: Locale): string {
  return locale === 'zh' ? (nameZh ?? name) : name
}

/** Two letters that stand for a name: the initials of its first two words, or the beginning of its only one. */
export function vendorMark(name: string): string {
  const [first = '', second] = name.split(/[\s./-]+/u).filter((word) => word !== '')
  const letters = second === undefined ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1))
  const [one = '', two = ''] = letters
  // A Chinese character is as wide as two letters.
  return /\p{Script=Han}/u.test(one) ? one : `${one.toUpperCase()}${second === undefined ? two.toLowerCase() : two.toUpperCase()}`
}
