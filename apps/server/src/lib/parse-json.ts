import { jsonFlaw, jsonTooDeep, parseJsonText } from '@sluice/contract'
import { parseExactly } from '@sluice/vendors/core/exact-json'
import { countedLengthMin, JsonCounter } from '@sluice/vendors/core/json-counter'
import { AppError } from './app-error.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws AppError invalid_text */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AppError('invalid_text', { cause })
  }
}

/** Keeps numbers as they are written. @throws AppError invalid_json */
export function parseJson(text: string): unknown {
  try {
    return parseExactly(text)
  } catch (cause) {
    const detail =
      text.trim() === ''
        ? 'it is empty'
        : cause instanceof SyntaxError
          ? cause.message.replace(/^JSON Parse error: /, '').slice(0, 120)
          : jsonTooDeep
    throw new AppError('invalid_json', { params: { detail }, cause })
  }
}

/** Parses a body of JSON in one step. @returns the value, which can be serialized as JSON without a change of meaning. @throws AppError invalid_text, invalid_json */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length >= countedLengthMin) {
    const counter = new JsonCounter()
    counter.push(bytes)
    needParsable(counter)
  }
  return checkedJson(parseJson(decodeText(bytes)))
}

/** @throws AppError invalid_json if what was counted would take too long to parse, to walk through or to write again */
export function needParsable({ excess }: Pick<JsonCounter, 'excess'>): void {
  if (excess !== null) throw new AppError('invalid_json', { params: { detail: excess } })
}

/** A stored text as JSON, by the rules of bodies; `undefined` = it is none. For texts of which one that cannot be read must not stop the others. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return undefined
  }
}

/** @returns the value, which can be serialized as JSON without a change of meaning. @throws AppError invalid_json */
export function checkedJson(value: unknown): unknown {
  const flaw = jsonFlaw(value)
  if (flaw !== null) throw new AppError('invalid_json', { params: { detail: flaw } })
  return value
}
