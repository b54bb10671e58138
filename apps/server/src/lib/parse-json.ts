import { AppError } from './app-error.ts'

/** Deepest nesting of lists and objects: code that serializes a body or walks through it recurses, and the stack is limited. */
export const depthMax = 64

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws AppError invalid_text */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AppError('invalid_text', { cause })
  }
}

/** @throws AppError invalid_json */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail =
      text.trim() === ''
        ? 'it is empty'
        : cause instanceof SyntaxError
          ? cause.message.replace(/^JSON Parse error: /, '').slice(0, 120)
          : tooDeep
    throw new AppError('invalid_json', { params: { detail }, cause })
  }
}

/** @returns the value, which can be serialized as JSON without a change of meaning. @throws AppError invalid_json */
export function checkedJson(value: unknown): unknown {
  const flaw = flawOf(value, depthMax)
  if (flaw !== null) throw new AppError('invalid_json', { params: { detail: flaw } })
  return value
}

/** What would change when the value is serialized again, or could not be serialized; `null` = nothing. */
function flawOf(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is too large'
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) return tooDeep
  return Array.isArray(value) ? flawOfItems(value, depthLeft) : flawOfMembers(value, depthLeft)
}

function flawOfItems(items: readonly unknown[], depthLeft: number): string | null {
  for (const item of items) {
    const flaw = typeof item === 'string' ? null : flawOf(item, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

/** Without a list of the members, which would be made for every object. */
function flawOfMembers(members: object, depthLeft: number): string | null {
  for (const name in members) {
    // Holds: parsed JSON inherits no member that a loop finds.
    const member: unknown = members[name as keyof typeof members]
    const flaw = typeof member === 'string' ? null : flawOf(member, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

export const tooDeep = 'it is nested too deeply'
