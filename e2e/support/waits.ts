import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Request } from '@playwright/test'

/** How long pages waited for each read of the management API, in milliseconds. */
export interface Waits {
  /** From now on the reads of a page count. */
  watch(page: Page): void
  /** Writes them as a table, the slowest first. */
  write(): void
}

const folder = join(import.meta.dirname, '../../test-results/large')

/** Parameters that say which of several queries a read makes; the others only say of what. */
const telling: ReadonlySet<string> = new Set(['bucket', 'group', 'of', 'outcome', 'order'])

export function createWaits(): Waits {
  const byRead = new Map<string, number[]>()
  const note = (request: Request): void => {
    const { pathname, searchParams } = new URL(request.url())
    if (request.method() !== 'GET' || !pathname.startsWith('/api/')) return
    const limits = [...searchParams].filter(([, value]) => value !== '' && value !== '0')
    const named = limits.map(([name, value]) => (telling.has(name) ? `${name}=${value}` : name))
    const read = [pathname, ...new Set(named)].join(' ')
    byRead.set(read, [...(byRead.get(read) ?? []), Math.round(request.timing().responseEnd)])
  }
  return {
    watch(page) {
      page.on('requestfinished', note)
    },
    write() {
      const rows = [...byRead].map(([read, times]) => ({ read, times: times.toSorted((one, other) => one - other) }))
      const lines = rows
        .map(({ read, times }) => ({ read, count: times.length, middle: times[times.length >> 1] ?? 0, worst: times.at(-1) ?? 0 }))
        .sort((one, other) => other.worst - one.worst)
        .map(
          ({ read, count, middle, worst }) =>
            `${String(middle).padStart(7)} ${String(worst).padStart(7)} ${String(count).padStart(6)}  ${read}`,
        )
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `waits-${process.pid}.txt`), ['median   worst  times  read (ms)', ...lines, ''].join('\n'))
    },
  }
}
