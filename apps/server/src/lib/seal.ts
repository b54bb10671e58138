import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that must be readable again (AES-256-GCM) and hashes incoming ones for look-ups (HMAC-SHA-256). */
export interface Seal {
  /** `purpose` is authenticated with the text: a sealed value that is copied elsewhere does not open there. */
  seal(plain: string, purpose: string): string
  /** @throws when the text was changed, or sealed for another purpose or with another master key */
  open(sealed: string, purpose: string): string
  /** `null`: it cannot be opened, as of a text that was changed, or sealed for another purpose or with another master key. */
  tryOpen(sealed: string, purpose: string): string | null
  /** A keyed hash in hex: the same text always gives the same value, and the text cannot be recovered from it. */
  lookup(text: string, purpose: string): string
  /** The purpose of a value that is valid in one row only. Stores of the first versions have values that are valid in each row. */
  rowPurpose(purpose: string, id: number): string
  /** Whether values are bound to their rows. */
  readonly bindsRows: boolean
}

interface SealForm {
  /** Whether values are bound to their rows; not in stores of the first versions. */
  readonly bindsRows?: boolean
}

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

export function createSeal(masterKey: Uint8Array, { bindsRows = true }: SealForm = {}): Seal {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', masterKey, 'sluice', use, 32))
  const sealKey = derive('seal')
  const lookupKey = derive('lookup')

  function open(sealed: string, purpose: string): string {
    if (!sealed.startsWith(`${version}.`)) throw new Error(`sealed value for ${purpose} has an unknown form`)
    const bytes = Buffer.from(sealed.slice(version.length + 1), 'base64')
    const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  }

  return {
    bindsRows,
    rowPurpose: (purpose, id) => (bindsRows ? `${purpose}:${id}` : purpose),
    seal(plain, purpose) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${version}.${sealed.toString('base64')}`
    },
    open,
    tryOpen(sealed, purpose) {
      try {
        return open(sealed, purpose)
      } catch {
        return null
      }
    },
    lookup(text, purpose) {
      return createHmac('sha256', lookupKey).update(`${purpose}:${text}`).digest('hex')
    },
  }
}

/** Of an empty text nothing is sealed, so that nothing of it is lost with a master key. */
export const sealUnlessEmpty = (seal: Seal, text: string, purpose: string): string => (text === '' ? '' : seal.seal(text, purpose))
