import { readFileSync } from 'node:fs'

/** Most files and sockets that this process may have open (proc_pid_limits(5)); infinite where the system does not report it. */
export function descriptorsMax(): number {
  const soft = /^Max open files +(\d+) /m.exec(readLimits())?.[1]
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
