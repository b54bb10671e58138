import { withoutTrailingSlashes } from '@sluice/contract'
import { callFolders } from './client-path.ts'

/** Longest base path, in characters. */
const lengthMax = 200

/** First path segments that the server itself serves: below one of these, a call and a call below the base path would look alike. */
const servedFolders: ReadonlySet<string> = new Set([
  ...['api', 'v1', 'v1beta', 'v2', 'static', 'suno', 'dashboard', 'models'],
  ...['healthz', 'livez', 'readyz', 'metrics'],
  ...callFolders,
])

/**
 * The path below which a proxy publishes the server, such as `/tools/sluice`; empty = the root.
 * @param text with or without final slashes
 * @returns without a final slash; `null` = not a path of letters, digits, `-`, `.`, `_` and `~`
 */
export function readBasePath(text: string): string | null {
  if (text.length > lengthMax) return null
  const path = withoutTrailingSlashes(text)
  // A part that begins with a dot may be `.` or `..`.
  return path === '' || /^(?:\/[\w~-][\w.~-]*)+$/.test(path) ? path : null
}

/** What is wrong with a value of the variable `BASE_PATH`; empty = nothing. */
export function basePathProblem(text: string): string {
  const path = readBasePath(text)
  if (path === null) return `BASE_PATH must be a path like /sluice of at most ${lengthMax} characters, not "${text}"`
  const isServed = servedFolders.has(path.split('/')[1] ?? '')
  return isServed ? `BASE_PATH must not begin like a path of the server itself, as "${text}" does` : ''
}

/** A request target without the base path. A proxy may have removed it before; then the target is returned unchanged. */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target
  const rest = target.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : target
}

/**
 * The address at which people and services reach the server.
 * @param address the option `ServerAddress`; empty = none
 * @returns with the base path, unless the address has a path of its own; empty = none
 */
export function publicAddressOf(address: string, basePath: string): string {
  const url = basePath === '' ? null : URL.parse(address)
  return url === null || url.pathname !== '/' ? address : `${url.origin}${basePath}`
}
