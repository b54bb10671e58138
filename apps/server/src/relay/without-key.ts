import type { Failure } from '@sluice/vendors/dialect'
import type { StreamView } from './answer.ts'

/** A part of a key that is shorter is no secret: an account's number, a region. */
const partCharsMin = 8

/** Takes the key of a channel out of a vendor's words. Some keys are several values in one (`id|secret`); each may be repeated by itself. */
export function withoutKey(text: string, key: string): string {
  if (key === '') return text
  const parts = key.split('|').filter((part) => part.length >= partCharsMin)
  return [key, ...parts].reduce((words, secret) => words.replaceAll(secret, '***'), text)
}

/** The same for all that a failure says. A vendor may repeat the key that it refuses, in whichever field; it never leaves the house. */
export function failureWithoutKey(failure: Failure, key: string): Failure {
  const clean = (text: string | null): string | null => (text === null ? null : withoutKey(text, key))
  const { message, type, param, code } = failure
  return { ...failure, message: withoutKey(message, key), type: clean(type), param: clean(param), code: clean(code) }
}

/** The same for the failures of a stream. */
export function viewWithoutKey(view: StreamView, key: string): StreamView {
  return {
    ...view,
    event(event) {
      const step = view.event(event)
      return step.failure === null ? step : { ...step, failure: failureWithoutKey(step.failure, key) }
    },
  }
}
