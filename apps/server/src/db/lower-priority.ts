import { setPriority } from 'node:os'

/** Below the server's own priority: requests take precedence over charts and backups. */
const niceness = 10

/** If the system does not allow it, the process keeps the priority of the server. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has ended already, or the system has no priorities.
  }
}
