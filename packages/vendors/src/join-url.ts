const versionEnd = /\/v\d+[a-z0-9]*$/i
const slashes = /\/+$/
const chatPath = '/chat/completions'

const absolute = /^(?:https?|wss?):\/\//

/** The address of a path under the base URL; an absolute address stays as it is. */
export function addressAt(baseUrl: string, path: string): string {
  return absolute.test(path) ? path : joinUrl(baseUrl, path)
}

/**
 * Joins base URL and path. A base that already ends in a version (`https://host/api/v4`) replaces the `/v1` of the path.
 */
export function joinUrl(baseUrl: string, path: string): string {
  const base = baseOf(baseUrl)
  return versionEnd.test(base) && path.startsWith('/v1/') ? base + path.slice(3) : base + path
}

/** A base URL without its last slash, and without the path of chat completions, which people copy from vendors' pages. */
export function baseOf(baseUrl: string): string {
  const base = baseUrl.replace(slashes, '')
  return base.endsWith(chatPath) ? base.slice(0, -chatPath.length).replace(slashes, '') : base
}
