const hidden = '***'

/** Most characters of one text in the log. */
const textMax = 65_536

/** Patterns of keys, tokens and codes in any text. Each takes time that is linear in the text. */
const secretForms: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(sk|gsk|pk|rk)-[A-Za-z0-9_-]{8,}/g, `$1-${hidden}`],
  [/\bgsk_[A-Za-z0-9]{8,}/g, `gsk_${hidden}`],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, hidden],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}/g, hidden],
  [/\b(Bearer|Basic|Key)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/([?&](?:key|code|token|state|api_key|access_token)=)[^&\s"']+/gi, `$1${hidden}`],
]

/** A text with its secrets replaced, cut to the length that the log takes of one. */
export function scrubText(text: string): string {
  return scrubLine(text.length > textMax ? `${text.slice(0, textMax)}...` : text)
}

/** A line of the log with its secrets replaced. */
export function scrubLine(line: string): string {
  const plain = secretForms.reduce((scrubbed, [form, replacement]) => scrubbed.replace(form, replacement), line)
  return withoutPrivateKeys(plain.replace(/[A-Za-z0-9_.-]{20,}/g, withoutWebTokens))
}

/** Least characters of the first two parts of a JSON Web Token, whose first one begins with `{"` in base64. */
const webTokenStart = 'eyJ'
const webTokenPartsMin = [11, 8] as const

/** A run of the characters of JSON Web Tokens without the tokens in it. */
function withoutWebTokens(run: string): string {
  if (!run.includes(webTokenStart)) return run
  const parts = run.split('.')
  const kept: string[] = []
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? ''
    const start = part.startsWith(webTokenStart) ? 0 : part.indexOf(`-${webTokenStart}`) + 1
    const isToken =
      part.startsWith(webTokenStart, start) &&
      part.length - start >= webTokenPartsMin[0] &&
      (parts[index + 1] ?? '').length >= webTokenPartsMin[1] &&
      parts[index + 2] !== undefined
    kept.push(isToken ? part.slice(0, start) + hidden : part)
    if (isToken) index += 2
  }
  return kept.join('.')
}

const privateKeyStart = '-----BEGIN '
const privateKeyHead = /[A-Z ]+-----/y
const privateKeyEnd = /-----END [A-Z ]+-----/g
/** What is hidden of a key whose end is missing. */
const privateKeyText = /[A-Za-z0-9+/=\s\\]*/y

function withoutPrivateKeys(text: string): string {
  let kept = ''
  let from = 0
  // Without an end behind one key there is none behind a later one either.
  let hasEnd = true
  for (let start = text.indexOf(privateKeyStart); start >= 0; start = text.indexOf(privateKeyStart, from)) {
    const head = endOfMatch(privateKeyHead, text, start + privateKeyStart.length)
    const marked = head === null || !hasEnd ? null : endOfMatch(privateKeyEnd, text, head)
    if (head !== null && marked === null) hasEnd = false
    const end = head === null ? null : (marked ?? endOfMatch(privateKeyText, text, head))
    kept += text.slice(from, start) + (end === null ? privateKeyStart : hidden)
    from = end ?? start + privateKeyStart.length
  }
  return kept + text.slice(from)
}

/** Where a match that begins at a place ends; `null` = there is none. */
function endOfMatch(form: RegExp, text: string, at: number): number | null {
  form.lastIndex = at
  return form.test(text) ? form.lastIndex : null
}

const secretNames =
  /^(authorization|cookie|set-cookie|x-api-key|api-key|x-goog-api-key|proxy-authorization|password|key|secret|token|access_token)$/i

/** Deepest nesting of a logged value; deeper parts are left out. */
const depthMax = 6

/** A value for the log: members with secret names lose their values, texts their secrets; errors keep their chain of causes. */
export function scrub(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depthMax) return '...'
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    return {
      name,
      message: scrubText(message),
      ...(stack === undefined ? {} : { stack: scrubText(stack) }),
      ...(cause === undefined ? {} : { cause: scrub(cause, depth + 1) }),
    }
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretNames.test(name) && typeof item === 'string' ? hidden : scrub(item, depth + 1),
    ]),
  )
}
