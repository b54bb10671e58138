import { type AdminLogRow, failedAttempt } from '@sluice/contract'

type Details = Pick<AdminLogRow, 'charges' | 'failed_attempts'>

const none: Details = { charges: [], failed_attempts: [] }

/**
 * What a row keeps as JSON: what was charged, `[["prompt",9,2.5]]`, or where attempts failed both, `{"charges":[...],"failed":[...]}`. What cannot be
 * read is nothing.
 */
export function detailsOf(detail: string): Details {
  if (detail === '') return none
  try {
    const read: unknown = JSON.parse(detail)
    if (Array.isArray(read)) return { ...none, charges: read.flatMap(chargeOf) }
    if (typeof read !== 'object' || read === null || !('charges' in read) || !('failed' in read)) return none
    const { charges, failed } = read
    return {
      charges: Array.isArray(charges) ? charges.flatMap(chargeOf) : [],
      failed_attempts: Array.isArray(failed) ? failed.flatMap(attemptOf) : [],
    }
  } catch {
    return none
  }
}

function attemptOf(entry: unknown): Details['failed_attempts'] {
  const read = failedAttempt.safeParse(entry)
  return read.success ? [read.data] : []
}

function chargeOf(line: unknown): Details['charges'] {
  if (!Array.isArray(line)) return []
  const [unit, count, price]: readonly unknown[] = line
  const isCharge = typeof unit === 'string' && Number.isSafeInteger(count) && typeof price === 'number'
  return isCharge ? [{ unit, count: Number(count), price }] : []
}
