/**
 * Deepest nesting of lists and objects of a JSON text: code that serializes a value or walks through it recurses, and the stack is limited. The
 * server has the limit for bodies of requests; this one is for JSON within their texts, and for what vendors send.
 */
export const depthMax = 64

/** Whether a JSON text is nested deeper than the limit. Reads it once, and does not parse it: that alone would take long for deep nesting. */
export function isTooDeep(text: string): boolean {
  // Most texts, such as the events of a stream, are short or have few brackets.
  return text.length > 2 * depthMax && hasMoreBrackets(text, depthMax) && isDeeper(text)
}

function hasMoreBrackets(text: string, max: number): boolean {
  const objects = countOf(text, '{', max)
  return objects > max || objects + countOf(text, '[', max) > max
}

/** How often a character occurs; the search ends above `max`. */
function countOf(text: string, character: string, max: number): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1 && count <= max; at = text.indexOf(character, at + 1)) count += 1
  return count
}

const [quote, backslash] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const [openList, closeList, openObject, closeObject] = ['[', ']', '{', '}'].map((bracket) => bracket.charCodeAt(0))

function isDeeper(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openList || code === openObject) depth += 1
    else if (code === closeList || code === closeObject) depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

/** The place of the quote that ends the string which begins at `start`; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}
