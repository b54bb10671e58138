interface Fault {
  readonly line: number
  readonly column: number
}

/** One token; its groups are punctuation, text, another value. */
const token =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|((?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])))/uy

/** The tokens that may follow. */
type Place = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'after'

/** Position of the first error in JSON, the same in every browser; `null` = valid. Lines and columns count from 1. */
export function jsonFault(text: string): Fault | null {
  const open: ('{' | '[')[] = []
  let place: Place | null = 'value'
  let at = 0
  while (true) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return isOver(text, at) && place === 'after' && open.length === 0 ? null : placeOf(text, skipSpace(text, at))
    const kind = match[1] ?? (match[2] === undefined ? 'value' : 'text')
    place = step(place, kind, open)
    if (place === null) return placeOf(text, skipSpace(text, at))
    at = token.lastIndex
  }
}

/** The place after one token; `null` = the token is not allowed. Updates the list of open brackets. */
function step(place: Place, kind: string, open: ('{' | '[')[]): Place | null {
  switch (place) {
    case 'value':
      return startValue(kind, open)
    case 'first value':
      return kind === ']' ? close(open) : startValue(kind, open)
    case 'key':
      return kind === 'text' ? 'colon' : null
    case 'first key':
      return kind === '}' ? close(open) : kind === 'text' ? 'colon' : null
    case 'colon':
      return kind === ':' ? 'value' : null
    case 'after':
      return advance(kind, open)
  }
}

function startValue(kind: string, open: ('{' | '[')[]): Place | null {
  if (kind === 'text' || kind === 'value') return 'after'
  if (kind !== '{' && kind !== '[') return null
  open.push(kind)
  return kind === '{' ? 'first key' : 'first value'
}

function advance(kind: string, open: ('{' | '[')[]): Place | null {
  const inside = open.at(-1)
  if (inside === undefined) return null
  if (kind === ',') return inside === '{' ? 'key' : 'value'
  return kind === (inside === '{' ? '}' : ']') ? close(open) : null
}

function close(open: ('{' | '[')[]): Place {
  open.pop()
  return 'after'
}

function skipSpace(text: string, at: number): number {
  const rest = /[^ \t\r\n]/.exec(text.slice(at))
  return rest === null ? text.length : at + rest.index
}

function isOver(text: string, at: number): boolean {
  return skipSpace(text, at) === text.length
}

function placeOf(text: string, at: number): Fault {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}
