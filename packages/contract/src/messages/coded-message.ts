import { en, type MessageKey } from './en.ts'
import type { Language } from './fill.ts'
import { messageText } from './message-text.ts'

/** A text stored as code and parameters, so that each reader gets it in the own language. A parameter may be such a text itself. */
export interface CodedMessage {
  readonly code: MessageKey
  readonly params: CodedMessageParams
}
export type CodedMessageParams = Readonly<Record<string, string | number | CodedMessage>>

export function codedMessageText({ code, params }: CodedMessage, language: Language = 'en'): string {
  return messageText(code, plainParams(params, language), language)
}

/** The parameters, with coded messages among them translated. */
export function plainParams(params: CodedMessageParams, language: Language): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'object' ? codedMessageText(value, language) : value]),
  )
}

/** Reads a stored message; `null`: it is none, or its code is not in this version's catalogue. */
export function readCodedMessage(kept: unknown): CodedMessage | null {
  if (typeof kept !== 'object' || kept === null) return null
  const { code, params }: { readonly code?: unknown; readonly params?: unknown } = kept
  if (typeof code !== 'string' || !Object.hasOwn(en, code) || typeof params !== 'object' || params === null) return null
  const read = Object.entries(params).flatMap(([name, value]): ReadonlyArray<readonly [string, string | number | CodedMessage]> => {
    if (typeof value === 'string' || typeof value === 'number') return [[name, value]]
    const coded = readCodedMessage(value)
    return coded === null ? [] : [[name, coded]]
  })
  // Holds: `en` has the key.
  return { code: code as MessageKey, params: Object.fromEntries(read) }
}
