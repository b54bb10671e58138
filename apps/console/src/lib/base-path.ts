/**
 * Path below which the server is published, such as `/sluice`, without a final slash; empty = the root of its host. The server writes it into
 * the page.
 */
export const basePath: string = globalThis.document?.documentElement.dataset['basePath'] ?? ''

/** The path of a page or a file in the browser's address bar. @param path as the router knows it, beginning with a slash */
export const withBasePath = (path: string): string => `${basePath}${path}`

/** Opens the console below its base path if the browser has opened it elsewhere. @returns whether it does */
export function leavesForBasePath(): boolean {
  const { pathname, search, hash } = location
  if (pathname === basePath || pathname.startsWith(withBasePath('/'))) return false
  location.replace(withBasePath(`${pathname}${search}${hash}`))
  return true
}
