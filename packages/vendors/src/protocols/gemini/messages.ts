import { argumentsIn, isObject, parseToolJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { innerCharactersMax, JsonTally } from '../../core/json-counter.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { extraOf } from '../shared/extra-content.ts'
import { withNamedResults } from '../shared/named-results.ts'
import { withTextSystem } from '../shared/text-system.ts'
import { toParts } from './content.ts'
import type { ModelTraits } from './models.ts'

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonObject[]
}

export interface Conversation {
  /** The parts of the leading system and developer messages. */
  readonly system: readonly JsonObject[]
  readonly contents: readonly JsonObject[]
}

/** What a translation of messages depends on. */
export interface MessageContext {
  readonly traits: ModelTraits
  /** Calls and results carry their ids. */
  readonly keepsCallIds: boolean
  readonly rewrites: Rewrites
}

/** A translation, with the JSON of the results of tools so far. */
interface Translation extends MessageContext {
  readonly results: JsonTally
}

const isSystem = (message: JsonObject): boolean => message['role'] === 'system' || message['role'] === 'developer'

/**
 * The list of messages in the vendor's form: leading system messages leave it, neighbours of one role merge, and the first turn is the
 * user's (Gemini API, "Text generation" and "Function calling", stored copies read 2026-11-22).
 */
export function toConversation(list: Json | undefined, context: MessageContext): Conversation {
  const messages = withTextSystem(withNamedResults(Array.isArray(list) ? list.filter(isObject) : []), context.rewrites)
  const firstOther = messages.findIndex((message) => !isSystem(message))
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther)
  const rest = firstOther === -1 ? [] : messages.slice(firstOther)
  const translation: Translation = { ...context, results: new JsonTally(innerCharactersMax) }
  const turns = mergeTurns(rest.map((message) => toTurn(message, translation)))
  const opened: readonly Turn[] = turns[0]?.role === 'user' ? turns : [placeholder, ...turns]
  return { system: leading.flatMap(({ content }) => toParts(content)), contents: opened.map(({ role, parts }) => ({ role, parts })) }
}

const placeholder: Turn = { role: 'user', parts: [{ text: '...' }] }

function nameOf({ function: called }: JsonObject): string {
  return isObject(called) ? textOr(called['name'], '') : ''
}

function toTurn(message: JsonObject, context: Translation): Turn {
  const { role, content } = message
  if (role === 'assistant') return { role: 'model', parts: modelParts(message, context) }
  if (role === 'tool') return { role: 'user', parts: resultParts(message, context) }
  return { role: 'user', parts: toParts(content) }
}

function modelParts(message: JsonObject, context: MessageContext): readonly JsonObject[] {
  const { content, refusal, tool_calls: calls, images } = message
  const spoken = toParts(typeof content === 'string' || Array.isArray(content) ? content : refusal)
  const generated = (Array.isArray(images) ? images.filter(isObject) : []).flatMap((image) =>
    signedLast(toParts([image]), signatureOf(image)),
  )
  const uses = (Array.isArray(calls) ? calls.filter(isObject) : []).map((call) => callPart(call, context))
  const contentParts = [...signedLast(spoken, signatureOf(message)), ...generated]
  return [...(context.traits.needsImageSignatures ? contentParts.map(proven) : contentParts), ...provenFirst(uses, context.traits)]
}

/** Models that generate images require a signature on the first part of each of their turns, and on every image. */
function proven(part: JsonObject, index: number): JsonObject {
  const isNeeded = index === 0 || part['inlineData'] !== undefined
  return isNeeded && part['thoughtSignature'] === undefined ? { ...part, thoughtSignature: lostSignature } : part
}

/** The vendor's proof of its reasoning, which must be sent back with the part that carried it ("Thought signatures", read 2026-11-22). */
function signatureOf(part: JsonObject): string | null {
  const signature = extraOf(part, 'google')?.['thought_signature']
  return typeof signature === 'string' ? signature : null
}

function signedLast(parts: readonly JsonObject[], signature: string | null): readonly JsonObject[] {
  const last = parts.at(-1)
  return signature === null || last === undefined ? parts : [...parts.slice(0, -1), { ...last, thoughtSignature: signature }]
}

/** Stands for a signature that was lost, or for calls that another model made ("Thought signatures", read 2026-11-22). */
export const lostSignature = 'skip_thought_signature_validator'

/** Of parallel calls, only the first one has a signature. */
function provenFirst(calls: readonly JsonObject[], { needsSignatures }: ModelTraits): readonly JsonObject[] {
  const [first, ...others] = calls
  if (first === undefined || !needsSignatures || first['thoughtSignature'] !== undefined) return calls
  return [{ ...first, thoughtSignature: lostSignature }, ...others]
}

function callPart(call: JsonObject, { keepsCallIds }: MessageContext): JsonObject {
  const called = isObject(call['function']) ? call['function'] : {}
  const signature = signatureOf(call)
  return {
    functionCall: {
      ...(keepsCallIds && typeof call['id'] === 'string' ? { id: call['id'] } : {}),
      name: nameOf(call),
      args: argumentsIn(called['arguments']),
    },
    ...(signature === null ? {} : { thoughtSignature: signature }),
  }
}

function resultParts(message: JsonObject, context: Translation): readonly JsonObject[] {
  const { tool_call_id: id, content, name } = message
  const parts = toParts(content)
  const media = parts.filter((part) => part['text'] === undefined)
  const text = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n')
  const { keepsCallIds, traits, results } = context
  const inside = traits.takesImageResults && media.length > 0 ? { parts: media } : {}
  const functionResponse = {
    ...(keepsCallIds && typeof id === 'string' ? { id } : {}),
    name: textOr(name, 'tool'),
    response: toResponse(text, results),
    ...inside,
  }
  return [{ functionResponse }, ...(traits.takesImageResults ? [] : media)]
}

/** A result must be an object. With too much JSON in the results before it, it is sent as a text. */
function toResponse(text: string, results: JsonTally): JsonObject {
  results.add(text)
  const value = results.excess === null ? parseToolJson(text) : undefined
  return isObject(value) ? value : { result: value === undefined ? text : value }
}

/** Results of parallel calls must come in one turn, before anything that the user says with them. */
function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const runs: { readonly role: Turn['role']; readonly parts: JsonObject[][] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = runs.at(-1)
    if (last?.role === role) last.parts.push([...parts])
    else runs.push({ role, parts: [[...parts]] })
  }
  return runs.map(({ role, parts }) => ({ role, parts: resultsFirst(parts.flat()) }))
}

function resultsFirst(parts: readonly JsonObject[]): readonly JsonObject[] {
  const isResult = (part: JsonObject): boolean => part['functionResponse'] !== undefined
  return parts.some(isResult) ? [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))] : parts
}
