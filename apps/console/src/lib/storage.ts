import { basePath } from './base-path.ts'

/** Keys that compatible consoles read too; all other keys have the prefix `ui-`. */
type SharedKey = 'user' | 'status' | 'aff' | 'quota_per_unit' | 'display_in_currency' | 'channel_models'
export type StorageKey = SharedKey | `prompt-${string}` | `ui-${string}`

type Backing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

export interface SafeStorage {
  readonly readText: (key: StorageKey) => string | null
  readonly writeText: (key: StorageKey, value: string) => void
  /** `undefined` = missing or not JSON. */
  readonly readJson: (key: StorageKey) => unknown
  readonly writeJson: (key: StorageKey, value: unknown) => void
  readonly remove: (key: StorageKey) => void
  /** The keys that begin like this. */
  readonly keys: (prefix: `ui-${string}`) => readonly StorageKey[]
}

/**
 * Storage that never throws: if the browser's is full, disabled or missing, values are kept until the page is closed.
 * @param scope what the stored keys begin with; empty = nothing
 */
export function safeStorage(backing: () => Backing, scope = ''): SafeStorage {
  const memory = new Map<string, string>()
  const attempt = <T>(act: (storage: Backing) => T): T | undefined => {
    try {
      return act(backing())
    } catch {
      return undefined
    }
  }
  const readText = (key: StorageKey): string | null => memory.get(key) ?? attempt((storage) => storage.getItem(scope + key)) ?? null
  const writeText = (key: StorageKey, value: string): void => {
    const isKept = attempt((storage) => {
      storage.setItem(scope + key, value)
      return true
    })
    if (isKept === true) memory.delete(key)
    else memory.set(key, value)
  }
  return {
    readText,
    writeText,
    readJson: (key) => parseJson(readText(key)),
    writeJson: (key, value) => writeText(key, JSON.stringify(value)),
    remove: (key) => {
      memory.delete(key)
      attempt((storage) => storage.removeItem(scope + key))
    },
    keys: (prefix) => {
      const stored = attempt((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')) ?? []
      const scoped = stored.flatMap((key) => (key.startsWith(scope) ? [key.slice(scope.length)] : []))
      const isOwn = (key: string): key is `ui-${string}` => key.startsWith(prefix)
      return [...new Set([...memory.keys(), ...scoped])].filter(isOwn)
    },
  }
}

function parseJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    return undefined
  }
}

/** What this console stores in the browser begins with this: servers that are published below paths of one host share its storage. */
export const storageScope: string = basePath === '' ? '' : `${basePath}:`

export const storage = safeStorage(() => localStorage, storageScope)
