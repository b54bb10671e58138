/**
 * Base URL and path as one address. A base that already ends in a version (`https://host/api/v4`) says where `/v1` of the
 * path would stand, so the path gives it up.
 */
export function joinUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return /\/v\d+[a-z0-9]*$/i.test(base) && path.startsWith('/v1/') ? base + path.slice(3) : base + path
}
