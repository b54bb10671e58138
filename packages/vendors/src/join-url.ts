/**
 * Base URL and path as one address. A base that already ends in a version (`https://host/api/v4`) says where `/v1` of the
 * path would stand, so the path gives it up.
 */
export function joinUrl(baseUrl: string, path: string): string {
  const base = baseOf(baseUrl)
  return /\/v\d+[a-z0-9]*$/i.test(base) && path.startsWith('/v1/') ? base + path.slice(3) : base + path
}

/** A base URL without its last slash, and without the path of chats, which vendors' pages show and people copy whole. */
export function baseOf(baseUrl: string): string {
  return baseUrl
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')
    .replace(/\/+$/, '')
}
