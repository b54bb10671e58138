/** Methods that a raw proxy can forward. */
export const proxyMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export function isProxyMethod(text: string): boolean {
  return proxyMethods.some((method) => method === text)
}

/** Whether a text is the beginning of paths that a raw proxy forwards: whole segments, as they stand in an address. */
export function isProxyPath(text: string): boolean {
  return text.length <= 512 && /^\/(?:[\w.~!$&'()*+=:@-]+(?:\/[\w.~!$&'()*+=:@-]+)*\/?)?$/.test(text) && !hasDots(text)
}

const hasDots = (path: string): boolean => path.split('/').some((segment) => segment === '.' || segment === '..')

/** Characters that some servers read as a separator after they have decoded them once or twice. */
const separators = /[/\\;%]/

/**
 * Whether a path is below one of the allowed beginnings, whatever a server makes of it. Paths that servers read in different ways are below
 * none: with dot segments, empty segments, or separators and percent signs that are encoded.
 */
export function isAllowedPath(path: string, allowed: readonly string[]): boolean {
  const segments = path.split('/').slice(1)
  if (!path.startsWith('/') || segments.some((segment, index) => !isPlainSegment(segment, index === segments.length - 1))) return false
  return allowed.some((beginning) => {
    const start = beginning.endsWith('/') ? beginning.slice(0, -1) : beginning
    return path === start || path.startsWith(`${start}/`)
  })
}

/** Only the last segment may be empty. */
function isPlainSegment(segment: string, isLast: boolean): boolean {
  if (segment === '') return isLast
  if (/[\\;]/.test(segment)) return false
  const decoded = decodedOrNull(segment)
  return decoded !== null && !separators.test(decoded) && decoded !== '.' && decoded !== '..' && !hasControls(decoded)
}

const hasControls = (text: string): boolean => [...text].some((character) => character < ' ' || character === '\u007f')

function decodedOrNull(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
