import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Members with the address of an image, a video, audio, a file or a server, in any protocol. Some vendors take the bytes there, too. */
const addresses: ReadonlySet<string> = new Set([
  ...['url', 'image_url', 'video_url', 'audio_url', 'file_url', 'input_audio_url', 'fileUri', 'file_uri', 'uri', 'server_url'],
  ...['image', 'images', 'image_urls', 'video', 'videos', 'mask', 'urls'],
])

/** Members with the bytes of a file, in place of which some servers take its address. */
const bytes: ReadonlySet<string> = new Set(['data', 'file_data'])

/** Members that hold what the client's own functions take and give, schemas, and what only the client reads. */
const foreign: ReadonlySet<string> = new Set([
  ...['args', 'arguments', 'response', 'parameters', 'parametersJsonSchema', 'parameters_json_schema', 'input_schema', 'inputSchema'],
  ...['output_schema', 'outputSchema', 'input_examples', 'function', 'functionDeclarations', 'function_declarations', 'json_schema'],
  ...['schema', 'responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema', 'headers', 'metadata', 'annotations'],
  ...['citations'],
])

/** A host that every reader of the address takes for the same: no user, no backslash. */
const plainHost = /^https?:\/\/[^/?#\\\s@]+(?:[/?#]|$)/i

/** How bytes begin that stand in the place of an address: images as PNG, JPEG, GIF and WebP, videos as MP4, in base64. */
const bareBytes = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|AAAA)[A-Za-z0-9+/=_-]{64}/

const hasScheme = /^\s*[a-z][a-z0-9+.-]*:/i

/** Names of files that the vendor keeps for the account of a key: whether they may be named is another question (`content-of-key.ts`). */
const isOfAccount = /^\s*(?:gs:|ms:|fileid:|files\/)/i

/**
 * The place of a body with an address that is not one of the internet: of a file, of another kind, or of a host that only a local network knows.
 * A server in the operator's network that fetches it would open the network to clients. `null` = there is none.
 * @param isPublic whether an address of the web can be meant for everybody
 */
export function localAddressIn(body: JsonObject, isPublic: (address: string) => boolean): string | null {
  return placeIn(body, '', isPublic)?.slice(1) ?? null
}

/** The way from a value to the first such address in it. No text is made before one is found. */
function placeIn(value: Json, name: string, isPublic: (address: string) => boolean): string | null {
  if (typeof value === 'string') return isLocal(value, name, isPublic) ? '' : null
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) {
      const path = placeIn(entry, name, isPublic)
      if (path !== null) return `[${at}]${path}`
    }
    return null
  }
  return isObject(value) ? placeInObject(value, isPublic) : null
}

function placeInObject(object: JsonObject, isPublic: (address: string) => boolean): string | null {
  const { type } = object
  const isCall = typeof type === 'string' && (type.endsWith('tool_use') || type === 'custom_tool_call')
  for (const name in object) {
    // The data of a text is the text.
    if (foreign.has(name) || (isCall && name === 'input') || (type === 'text' && name === 'data')) continue
    const path = placeIn(object[name] ?? null, name, isPublic)
    if (path !== null) return `.${name}${path}`
  }
  return null
}

function isLocal(text: string, name: string, isPublic: (address: string) => boolean): boolean {
  const isAddress = addresses.has(name)
  if ((!isAddress && !bytes.has(name)) || text === '' || isOfAccount.test(text)) return false
  if (/^https?:/i.test(text)) return !plainHost.test(text) || !isPublic(text)
  if (/^data:/i.test(text)) return false
  return isAddress ? !bareBytes.test(text) : hasScheme.test(text)
}
