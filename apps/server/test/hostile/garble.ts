import type { Script, Step } from '../fake-upstream.ts'
import { hostileJson, hostileValues } from './values.ts'

// A vendor whose responses have the right form, in which random values were replaced.

type Place = readonly (string | number)[]

/** The most places among which some are chosen. */
const placesMax = 2_000

/** The places of all values within JSON. */
export function placesOf(value: unknown, place: Place = [], places: Place[] = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return places
  for (const [name, member] of Object.entries(value)) {
    if (places.length >= placesMax) break
    const at = [...place, Array.isArray(value) ? Number(name) : name]
    places.push(at)
    placesOf(member, at, places)
  }
  return places
}

/** Places of a response, and places of members that only responses of other vendors have. */
function placesIn(json: unknown): readonly Place[] {
  const places = placesOf(json)
  const parents = [[], ...places].filter((place) => isMembers(valueAt(json, place)))
  return [...places, ...parents.flatMap((place) => furtherNames.map((name): Place => [...place, name]))]
}

const isMembers = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function valueAt(whole: unknown, place: Place): unknown {
  // Holds: lists and objects have members by name.
  return place.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[name] : undefined),
    whole,
  )
}

/** Names of members that some vendor's response has. */
const furtherNames = [
  ...['id', 'model', 'name', 'type', 'status', 'state', 'error', 'code', 'message', 'url', 'data', 'usage', 'service_tier', 'content_type'],
  ...[
    'created',
    'created_at',
    'completed_at',
    'expires_at',
    'expires_in',
    'progress',
    'seconds',
    'duration',
    'cost',
    'credits',
    'size',
    'quality',
  ],
]

/** JSON with another value at a place. Places that are not there any more stay as they are. */
export function withValueAt(whole: unknown, place: Place, value: unknown): unknown {
  const [name, ...rest] = place
  if (name === undefined) return value
  if (typeof whole !== 'object' || whole === null) return whole
  // Holds: lists and objects have members by name.
  const copy = (Array.isArray(whole) ? [...whole] : { ...whole }) as Record<string | number, unknown>
  copy[name] = withValueAt(copy[name], rest, value)
  return copy
}

function chosen<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)]
}

/** JSON in which up to three values, or now and then the whole, were replaced by values of any type or left out. */
function garbled(json: unknown, random: () => number): unknown {
  if (random() < 0.03) return chosen(hostileValues, random)?.[1] ?? null
  const places = placesIn(json)
  let whole = json
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const isLeftOut = random() < 0.1
    const place = chosen(places, random)
    if (place !== undefined) whole = withValueAt(whole, place, isLeftOut ? undefined : chosen(hostileValues, random)?.[1])
  }
  return whole
}

const decoder = new TextDecoder()

function parsed(text: string): { readonly json: unknown } | null {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return null
  }
}

/** A line of a stream: JSON, or an event's data. */
function garbledLine(line: string, random: () => number): string {
  const [, name = '', data = ''] = /^(data: ?)?(\{.*)$/.exec(line) ?? []
  const parsedLine = data === '' || random() < 0.5 ? null : parsed(data)
  return parsedLine === null ? line : name + hostileJson(garbled(parsedLine.json, random))
}

function garbledStep(step: Step, random: () => number): Step {
  if (step.do === 'head') {
    const headers = random() < 0.05 ? { ...step.headers, 'retry-after': String(chosen(hostileHeaders, random)) } : (step.headers ?? {})
    return { ...step, headers }
  }
  if (step.do !== 'send') return step
  const text = typeof step.bytes === 'string' ? step.bytes : decoder.decode(step.bytes)
  if (!/^\s*(?:[[{]|data:|event:)/.test(text)) return step
  const whole = parsed(text)
  if (whole !== null) return { do: 'send', bytes: hostileJson(garbled(whole.json, random)) }
  return {
    do: 'send',
    bytes: text
      .split('\n')
      .map((line) => garbledLine(line, random))
      .join('\n'),
  }
}

const hostileHeaders = ['NaN', '-1', '1e400', '99999999999999999999', '', '0.5', 'Thu, 01 Jan 1970 00:00:00 GMT', 'x'.repeat(3_000)]

/** A response with other values in half of the cases. Content that is no JSON stays as it is. */
export function garbledScript(script: Script, random: () => number): Script {
  return random() < 0.5 ? script : script.map((step) => garbledStep(step, random))
}
