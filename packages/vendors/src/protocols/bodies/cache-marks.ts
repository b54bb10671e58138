import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { ofFunctions } from './tools-of-turns.ts'

/** How long a vendor keeps a prompt that a request marks for its cache: five minutes, or an hour, which costs more. */
export type CacheLife = '5m' | '1h'

/** Members of a body with marks (Anthropic, "Prompt caching", a stored copy read 2026-11-29). */
const marked = ['system', 'tools', 'messages'] as const

/** The longest lifetime that the marks of a body request (`cache_control`); `null` = it has none. Takes time in proportion to the body. */
export function cacheLifeIn(kind: Kind, body: JsonObject): CacheLife | null {
  if (kind !== 'messages' && kind !== 'chat') return null
  let life = lifeOf(body['cache_control'])
  for (const name of marked) life = longer(life, longestIn(body[name]))
  return life
}

const longer = (one: CacheLife | null, other: CacheLife | null): CacheLife | null => (one === '1h' ? one : (other ?? one))

function lifeOf(mark: Json | undefined): CacheLife | null {
  if (!isObject(mark)) return null
  const life = mark['ttl'] ?? '5m'
  return life === '5m' ? life : '1h'
}

/** The depth of parsed JSON is bounded, and so is that of this function. */
function longestIn(value: Json | undefined): CacheLife | null {
  let life: CacheLife | null = null
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === 'object') life = longer(life, longestIn(entry))
    return life
  }
  if (!isObject(value)) return null
  for (const name in value) {
    const inner = value[name]
    if (typeof inner !== 'object' || inner === null || ofFunctions.has(name)) continue
    life = longer(life, name === 'cache_control' ? lifeOf(inner) : longestIn(inner))
  }
  return life
}
