/** Members whose content is the client's own words or schemas. */
const own = new Set(['parameters', 'input_schema', 'parametersJsonSchema', 'args', 'input_json', 'response', 'client_metadata'])

/** Every place of a request that has a member, with the types of the objects on the way: `tools[]<custom>.format`. */
export function memberPlaces(value: unknown, at = ''): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...memberPlaces(item, `${at}[]`)]))
  if (typeof value !== 'object' || value === null) return new Set()
  const type = 'type' in value && typeof value.type === 'string' ? `<${value.type}>` : ''
  const isCall = type === '<tool_use>'
  return new Set(
    Object.entries(value).flatMap(([name, member]) => {
      // The gateway's responses have it, and it comes back.
      if (name === 'extra_content') return []
      const place = `${at}${type}.${name}`
      return own.has(name) || (isCall && name === 'input') ? [place] : [place, ...memberPlaces(member, place)]
    }),
  )
}
