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
  return endsInVersion(base) && path.startsWith('/v1/') ? base + path.slice(3) : base + path
}

/** A base URL without its last slash, and without the path of chat completions, which people copy from vendors' pages. */
export function baseOf(baseUrl: string): string {
  const base = withoutTrailingSlashes(baseUrl)
  return base.endsWith(chatPath) ? withoutTrailingSlashes(base.slice(0, -chatPath.length)) : base
}

/** In a loop from the end: the regular expression for it is tried at every slash of the address. */
export function withoutTrailingSlashes(address: string): string {
  let end = address.length
  while (end > 0 && address[end - 1] === '/') end -= 1
  return address.slice(0, end)
}

/** A version, such as `v1` or `v1beta2`. */
const version = /^v\d[a-z0-9]*$/i

/** Whether the last part of the path is a version. */
export function endsInVersion(base: string): boolean {
  const slash = base.lastIndexOf('/')
  return slash !== -1 && version.test(base.slice(slash + 1))
}

export function withoutVersion(base: string): string {
  return endsInVersion(base) ? base.slice(0, base.lastIndexOf('/')) : base
}

/** Scheme and host of an address, without its path. */
export function rootOf(baseUrl: string): string {
  const path = baseUrl.indexOf('/', baseUrl.indexOf('://') + '://'.length)
  return path === -1 ? baseUrl : baseUrl.slice(0, path)
}
