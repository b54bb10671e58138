import type { JsonObject } from '../../core/json.ts'
import type { StreamEnd } from '../../core/stream.ts'

/** Translates what a chat keeps until its end (`StreamEnd.rest`). Its end may be called more than once, and returns these events only once. */
export function onceAtEnd(translate: (chunk: JsonObject) => readonly JsonObject[]): (rest: StreamEnd['rest']) => readonly JsonObject[] {
  let isDone = false
  return (rest) => {
    if (rest === undefined || isDone) return []
    isDone = true
    return rest.flatMap(translate)
  }
}
