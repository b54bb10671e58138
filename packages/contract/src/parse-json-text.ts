/** Deepest nesting of lists and objects: code that walks through a value or writes it again recurses, and the stack is limited. */
export const jsonDepthMax = 64

/**
 * Parses JSON that is a text of its own, such as a mapping or a table of prices, by the rules of bodies.
 * @throws SyntaxError if it is not JSON, is nested too deeply or has a number that JSON cannot write again
 */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const flaw = jsonFlaw(value)
  if (flaw !== null) throw new SyntaxError(flaw)
  return value
}

/** What would change when a parsed value is serialized again, or why it could not be serialized; `null` = nothing. */
export function jsonFlaw(value: unknown, depthLeft = jsonDepthMax): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is too large'
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) return jsonTooDeep
  return Array.isArray(value) ? flawOfItems(value, depthLeft) : flawOfMembers(value, depthLeft)
}

function flawOfItems(items: readonly unknown[], depthLeft: number): string | null {
  for (const item of items) {
    const flaw = typeof item === 'string' ? null : jsonFlaw(item, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

/** Without a list of the members, which would be made for every object. */
function flawOfMembers(members: object, depthLeft: number): string | null {
  for (const name in members) {
    // Holds: parsed JSON inherits no member that a loop finds.
    const member: unknown = members[name as keyof typeof members]
    const flaw = typeof member === 'string' ? null : jsonFlaw(member, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

export const jsonTooDeep = 'nested too deeply'
