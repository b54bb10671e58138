import type { LogRow } from '@sluice/contract'

/** What was charged, from the JSON of the row: `[["prompt",9,2.5]]`. What cannot be read is nothing. */
export function chargesOf(detail: string): LogRow['charges'] {
  if (detail === '') return []
  try {
    const lines: unknown = JSON.parse(detail)
    return Array.isArray(lines) ? lines.flatMap(chargeOf) : []
  } catch {
    return []
  }
}

function chargeOf(line: unknown): LogRow['charges'] {
  if (!Array.isArray(line)) return []
  const [unit, count, price]: readonly unknown[] = line
  const isCharge = typeof unit === 'string' && Number.isSafeInteger(count) && typeof price === 'number'
  return isCharge ? [{ unit, count: Number(count), price }] : []
}
