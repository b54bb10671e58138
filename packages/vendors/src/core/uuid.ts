import { type CryptoFunctions, hex } from './crypto-functions.ts'

/** A name in the form of a UUID for vendors that take no other: the same for equal names. */
export function uuidOf({ sha256 }: Pick<CryptoFunctions, 'sha256'>, name: string): string {
  const digits = hex(sha256(name))
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-')
}
