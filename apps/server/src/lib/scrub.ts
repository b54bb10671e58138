const hidden = '***'

/** Patterns of keys, tokens and codes in any text. */
const secretForms: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(sk|gsk|pk|rk)-[A-Za-z0-9_-]{8,}/g, `$1-${hidden}`],
  [/\bgsk_[A-Za-z0-9]{8,}/g, `gsk_${hidden}`],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, hidden],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}/g, hidden],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, hidden],
  [/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g, hidden],
  [/\b(Bearer|Basic|Key)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/([?&](?:key|code|token|state|api_key|access_token)=)[^&\s"']+/gi, `$1${hidden}`],
]

/** A text with its secrets replaced. */
export function scrubText(text: string): string {
  return secretForms.reduce((scrubbed, [form, replacement]) => scrubbed.replace(form, replacement), text)
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
