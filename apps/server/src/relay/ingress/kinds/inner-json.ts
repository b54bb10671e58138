import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { countedLengthMin, innerCharactersMax, JsonCounter, JsonTally } from '@sluice/vendors/core/json-counter'
import { carriedJson } from '@sluice/vendors/protocols/shared/carried-reasoning'
import { AppError } from '../../../lib/app-error.ts'

/** Members of a request that hold messages, in all protocols of clients. */
const messageMembers = ['messages', 'contents', 'input'] as const
/** Members of a message that hold calls, or parts with proofs of reasoning. */
const inner = ['content', 'parts', 'tool_calls', 'function', 'function_call'] as const
/** A text that is JSON: what a function is called with. */
const called = 'arguments'
/** Texts that are JSON, or may carry JSON of ours. */
const texts = [called, 'signature', 'thoughtSignature', 'thought_signature', 'encrypted_content'] as const

/** @param place where the text is in the request; empty if it was not requested */
type Visit = (text: string, place: string) => void

/**
 * Refuses a request whose texts have more JSON together than a body may have, because vendors that take objects get it parsed. Results of
 * tools are not counted: a vendor gets them as texts if they are too large.
 * @throws AppError inner_json_too_large
 */
export function needSmallInnerJson(body: JsonObject): void {
  let length = 0
  const measure: Visit = (text) => {
    length += text.length
  }
  for (const name of messageMembers) visitTexts(body[name], null, measure)
  if (length >= countedLengthMin) countInnerJson(body)
}

function countInnerJson(body: JsonObject): void {
  const tally = new JsonTally(innerCharactersMax)
  const count: Visit = (text, place) => {
    new JsonCounter(tally).pushText(place.endsWith(called) ? text : (carriedJson(text) ?? ''))
    if (tally.excess !== null) throw new AppError('inner_json_too_large', { params: { name: place, detail: tally.excess } })
  }
  for (const name of messageMembers) visitTexts(body[name], name, count)
}

/** The depth of parsed JSON is bounded, and so is that of this function. @param place `null` = it is not requested */
function visitTexts(value: Json | undefined, place: string | null, visit: Visit): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) visitTexts(entry, place === null ? null : `${place}[${index}]`, visit)
    return
  }
  if (!isObject(value)) return
  for (const name of texts) {
    const text = value[name]
    if (typeof text === 'string') visit(text, placeIn(place, name) ?? '')
  }
  for (const name of inner) {
    const member = value[name]
    if (typeof member === 'object') visitTexts(member, placeIn(place, name), visit)
  }
}

const placeIn = (place: string | null, name: string): string | null => (place === null ? null : `${place}.${name}`)
