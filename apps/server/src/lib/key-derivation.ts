import { randomBytes } from 'node:crypto'

/** The cost of scrypt: 2^log2N blocks of r * 128 bytes, p times. */
export interface ScryptCost {
  readonly log2N: number
  readonly r: number
  readonly p: number
}

/** OWASP's equivalent of 32 MiB (Password Storage Cheat Sheet, read 2026-11-29): about a quarter of a second, once per process. */
export const scryptCost: ScryptCost = { log2N: 15, r: 8, p: 3 }

/** Higher ones in a damaged store would take minutes or all memory. */
const costMax: ScryptCost = { log2N: 20, r: 16, p: 16 }

interface SecretForm {
  /** Empty = the key comes from a file. */
  readonly secret: string
  readonly scryptCost?: ScryptCost
}

/** A key from a file, which is random. */
const rawDerivation = 'raw'

const saltBytes = 16

/**
 * How keys are derived that are made now, as it is stored with the database. Stores of the first versions have an empty one: SHA-256, and
 * values that are not bound to their rows.
 */
export function newDerivation({ secret, scryptCost: cost = scryptCost }: SecretForm): string {
  if (secret === '') return rawDerivation
  return `scrypt:${cost.log2N}:${cost.r}:${cost.p}:${randomBytes(saltBytes).toString('base64')}`
}

/** `null` = SHA-256. @throws Error when this version does not know it */
export function parseDerivation(derivation: string): (ScryptCost & { readonly salt: Uint8Array }) | null {
  if (derivation === '' || derivation === rawDerivation) return null
  const [, log2N = 0, r = 0, p = 0] = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):[A-Za-z0-9+/=]{1,64}$/.exec(derivation)?.map(Number) ?? []
  if (log2N < 1 || r < 1 || p < 1 || log2N > costMax.log2N || r > costMax.r || p > costMax.p)
    throw new Error('the database says that its master key is derived in a way that this version does not know')
  return { log2N, r, p, salt: Buffer.from(derivation.slice(derivation.lastIndexOf(':') + 1), 'base64') }
}
