import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Shape of a query -> the steps of its plan. */
export type Plans = ReadonlyMap<string, readonly string[]>

const path = join(import.meta.dir, 'query-plans.txt')

export function readPlans(): Plans {
  const entries = readFileSync(path, 'utf8').trimEnd().split('\n\n')
  return new Map(
    entries.map((entry) => {
      const [shape = '', ...steps] = entry.split('\n')
      return [shape, steps.map((step) => step.trim())] as const
    }),
  )
}

export function writePlans(plans: Plans): void {
  const entries = [...plans].map(([shape, steps]) => [shape, ...steps.map((step) => `    ${step}`)].join('\n'))
  writeFileSync(path, `${entries.sort().join('\n\n')}\n`)
}
