import { readFileSync } from 'node:fs'

/** Most files and sockets that this process may have open; infinite where the system does not tell. */
export function descriptorsMax(): number {
  return parseLimit(readLimits())
}

/** @param limits the text of `/proc/self/limits` (proc(5)) */
export function parseLimit(limits: string): number {
  const soft = /^Max open files +(\d+) /m.exec(limits)?.[1]
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
