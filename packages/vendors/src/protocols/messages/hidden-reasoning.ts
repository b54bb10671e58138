import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { carriedIn, carriedText } from '../shared/carried-reasoning.ts'
import { ownMark } from '../shared/gateway-marks.ts'

// A client may want reasoning without its text (the types of Anthropic's client 1.14, `display`, read 2026-11-25). A vendor may want the text
// back, so it travels in the signature, which clients send back unread.

/** Set beside what a response repeats of its request: the client wants no text of reasoning. */
export const hidesReasoning = ' hides thoughts'

/** Set beside what a response repeats of its request: the client reads reasoning, with or without its text. */
export const showsReasoning = ' shows thoughts'

/** Whether the client turned thinking on. Others may not know such blocks. */
export function asksToShow({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking['type'] !== 'disabled'
}

export function asksToHide({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking['display'] === 'omitted'
}

/** The signature of reasoning whose text is not sent. */
export function hiddenProof({ text, signature }: { readonly text: string; readonly signature: string }): string {
  return ownMark + carriedText({ thought: text, ...(signature === '' ? {} : { blocks: [{ signature }] }) })
}

/** Reasoning as it was before its text was hidden. */
export function revealed(block: JsonObject): JsonObject {
  const proof = textOr(block['signature'], '')
  const carried = proof.startsWith(ownMark) ? carriedIn(proof) : null
  if (carried === null) return block
  const [signed] = carried.blocks ?? []
  return { ...block, thinking: carried.thought ?? '', signature: ownMark + textOr(signed?.['signature'], '') }
}

/** What the vendor wants back with the text of the message; `null`: the reasoning carries none. */
export function carriedBeside(reasoning: readonly JsonObject[]): JsonObject | null {
  const last = reasoning.at(-1)
  return last === undefined ? null : (carriedIn(last['signature'])?.extra ?? null)
}
