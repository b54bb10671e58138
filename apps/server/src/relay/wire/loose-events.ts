import type { Failure } from '@sluice/vendors/core/failure'
import { messageMax, untypedFailure, unwrapped } from '@sluice/vendors/core/failure-parts'
import { isObject, parseJson, textOr } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { SseEvent } from '../model/sse-event.ts'

// What servers send in the place of well-formed events: without the blank line that ends one, without `data:`, or several in one line (1jehuang/jcode
// 609, read 2026-11-30).

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const lineFeed = 10
const [openBrace, openBracket] = [0x7b, 0x5b]
const [dataField, nameField] = [encoder.encode('data:'), encoder.encode('event:')]

function isAt(bytes: Uint8Array, start: number, part: Uint8Array): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[start + at] !== part[at]) return false
  return true
}

/** Whether a line begins data or the name of an event. */
export function beginsField(bytes: Uint8Array, start: number): boolean {
  return isAt(bytes, start, dataField) || isAt(bytes, start, nameField)
}

/** Whether a line is an event by itself: data that is whole. */
export function isWholeLine(bytes: Uint8Array, start: number, end: number): boolean {
  return isAt(bytes, start, dataField) && isWholeData(decoder.decode(bytes.subarray(start + dataField.length, end)))
}

/** Whether data is whole: JSON, or the word that ends a stream. */
export function isWholeData(data: string): boolean {
  const text = data.trim()
  return text === '[DONE]' || (/^[{[]/.test(text) && /[}\]]$/.test(text) && parseJson(text) !== undefined)
}

/** Whether JSON begins here, where a field should. */
export function beginsBare(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === openBrace || bytes[start] === openBracket
}

/** The events of bytes that are JSON without `data:`: one, or one of each line. */
export function bareEventsOf(raw: Uint8Array): readonly SseEvent[] {
  const text = decoder.decode(raw).trim()
  if (isWholeData(text)) return [eventWith(text.replaceAll(/[\r\n]+/g, ' '))]
  const lines = text.split(/[\r\n]+/).map((line) => line.trim())
  return lines.every(isWholeData) ? lines.map((line) => eventWith(line)) : []
}

/** An event with the blank line that it came without. */
export function endedEvent(bytes: Uint8Array): Uint8Array {
  const ended = new Uint8Array(bytes.length + 1)
  ended.set(bytes)
  ended[bytes.length] = lineFeed
  return ended
}

function eventWith(data: string, name?: string): SseEvent {
  return { data, name, raw: encoder.encode(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`) }
}

/** The events of an event whose data are several objects, one after another. `null` = it is one event. */
export function splitEvent({ data, name }: SseEvent): readonly SseEvent[] | null {
  if (data === null || !(data.includes('}{') || data.includes('} {')) || parseJson(data) !== undefined) return null
  const objects = objectsIn(data)
  if (objects.length < 2 || !objects.every(isWholeData)) return null
  return objects.map((object) => eventWith(object, name === undefined ? undefined : nameOf(object, name)))
}

/** Events that have names repeat them as their type. */
function nameOf(data: string, otherwise: string): string {
  const json = parseJson(data)
  return isObject(json) ? textOr(json['type'], otherwise) : otherwise
}

/**
 * What an event says, if it is an error in another form than the protocol has: in a list, or in an event with that name.
 * `null` = it is none. @param read how the protocol reads an error
 */
export function looseFailure(event: SseEvent, read: (data: string) => Failure | null): Failure | null {
  const error = errorOf(event)
  return error === null ? null : (read(JSON.stringify(error)) ?? untypedFailure(error))
}

/** As `looseFailure`, or what the protocol itself reads. */
export function failureOf(event: SseEvent, read: (data: string) => Failure | null): Failure | null {
  return event.data === null ? null : (read(event.data) ?? looseFailure(event, read))
}

function errorOf({ data, name }: SseEvent): JsonObject | null {
  if (data === null || (name !== 'error' && !data.startsWith('['))) return null
  const json = unwrapped(parseJson(data))
  if (isObject(json) && json['error'] !== undefined) return json
  if (name !== 'error') return null
  return { type: 'error', error: isObject(json) ? json : { message: typeof json === 'string' ? json : data.slice(0, messageMax) } }
}

/** The texts between braces that are in no others. Empty: something else is between them. */
function objectsIn(text: string): readonly string[] {
  const objects: string[] = []
  let [start, depth] = [0, 0]
  for (let at = nextMark(text, 0); at < text.length; at = nextMark(text, at + 1)) {
    depth += text[at] === '{' ? 1 : -1
    if (depth > 0) continue
    objects.push(text.slice(start, at + 1).trim())
    start = at + 1
  }
  return text.slice(start).trim() === '' ? objects : []
}

/** Where the next brace is that is in no text of JSON; the length of the text: there is none. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{' || text[at] === '}') return at
    if (text[at] === '"') at = endOfText(text, at + 1)
  }
  return text.length
}

/** Where the quote is that ends a text. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at += 1
  }
  return text.length
}
