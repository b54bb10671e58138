/** What of a failed check says which value would pass; the members that zod's issues have. */
interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly expected?: unknown
  readonly values?: unknown
  readonly maximum?: unknown
  readonly minimum?: unknown
  readonly errors?: unknown
}

interface Schema<Output> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Output } | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

/** A value that was replaced may still be one that its schema refuses, once it has the right type. */
const roundsMax = 3

/**
 * What is sent of rows of the database. A column that holds a value of another type or beyond its bounds, as in a database that was damaged
 * or edited manually, is replaced by the nearest value that may be sent, so that its row and all others are shown.
 * @param damaged gets the places of replaced values, such as `3.quota`
 * @throws the error of the check where a member is missing or no value is known that passes: that is a fault of the program
 */
export function readableOutput<Output>(schema: Schema<Output>, value: unknown, damaged: (places: readonly string[]) => void): Output {
  let present = value
  const places: string[] = []
  for (let round = 0; ; round++) {
    const checked = schema.safeParse(present)
    if (checked.success) {
      if (places.length > 0) damaged(places)
      return checked.data
    }
    const { issues } = checked.error
    const mended = round === roundsMax ? undefined : mend(present, issues)
    if (mended === undefined) throw checked.error
    places.push(...issues.map(({ path }) => path.map(String).join('.')))
    present = mended
  }
}

/** A copy of the value with the nearest values that pass; `undefined`: for one of them none is known. */
function mend(value: unknown, issues: readonly Issue[]): unknown {
  const root = { value: structuredClone(value) }
  for (const issue of issues) {
    const names = ['value', ...issue.path]
    const inside = names.slice(0, -1).reduce<unknown>(memberOf, root)
    const name = names.at(-1) ?? ''
    const present = memberOf(inside, name)
    const nearest = present === undefined ? undefined : nearestTo(present, issue)
    if (nearest === undefined) return undefined
    // Holds: it has a member of this name.
    const changed = inside as Record<PropertyKey, unknown>
    changed[name] = nearest
  }
  return root.value
}

function memberOf(inside: unknown, name: PropertyKey): unknown {
  if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, name)) return undefined
  // Holds: only the member is read, which it has.
  return (inside as Readonly<Record<PropertyKey, unknown>>)[name]
}

/** The nearest value that passes where a check has failed; `undefined`: none is known. */
function nearestTo(value: unknown, { code, expected, values, maximum, minimum, errors }: Issue): unknown {
  if (code === 'invalid_type') return ofType[String(expected)]?.(value)
  if (code === 'too_big') return maximum
  if (code === 'too_small') return minimum
  if (code === 'invalid_value' && Array.isArray(values)) return values[0]
  if (code !== 'invalid_union' || !Array.isArray(errors)) return undefined
  // Holds: a union has the issues of each of its members.
  const [first] = (errors as readonly (readonly Issue[])[]).flat()
  return first === undefined || first.path.length > 0 ? undefined : nearestTo(value, first)
}

const wholeOf = (value: unknown): number => {
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0
  return Number.isFinite(number) ? Math.trunc(number) : 0
}

const ofType: Readonly<Record<string, (value: unknown) => unknown>> = {
  number: wholeOf,
  int: wholeOf,
  string: (value) => (typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''),
  boolean: Boolean,
  array: () => [],
  object: () => ({}),
  record: () => ({}),
}
