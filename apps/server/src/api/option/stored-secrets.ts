import type { OptionKey } from '@sluice/contract'
import type { Seal } from '../../lib/seal.ts'

interface StoredSecret {
  readonly text: string
  /** The server that it was entered for; `null` = its server is not in the options. */
  readonly host: string | null
}

/** Prefix of a sealed text that includes a server. No entered secret begins with it. */
const mark = '\u0001'

const purposeOf = (key: OptionKey): string => `option:${key}`

/** What is stored of a secret option. */
export function sealSecret(seal: Seal, key: OptionKey, { text, host }: StoredSecret): string {
  return seal.seal(host === null ? text : mark + JSON.stringify([host, text]), purposeOf(key))
}

/** `null` = it was sealed with another master key. */
export function openSecret(seal: Seal, key: OptionKey, stored: string): { readonly text: string; readonly host?: string } | null {
  try {
    const opened = seal.open(stored, purposeOf(key))
    if (!opened.startsWith(mark)) return { text: opened }
    const [host, text]: readonly unknown[] = JSON.parse(opened.slice(mark.length))
    return { text: String(text), host: String(host) }
  } catch {
    return null
  }
}
