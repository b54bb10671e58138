import { nonsense } from '@sluice/vendors/core/no-usage'
import type { Delegated, Usage } from '@sluice/vendors/core/usage'
import { parseText } from '../../lib/parse-value.ts'

/** The largest count of any unit. Milliseconds of audio are the most: a vendor's count of seconds may have nine digits. */
const countMax = 1_000_000_000_000
/** More work of other models than any response delegates. */
const delegatedMax = 10_000
const modelCharsMax = 256
const nameCharsMax = 64

/**
 * What of a usage that a dialect read may be stored and charged: whole counts within bounds. One that is not makes the usage suspect, as a count of
 * tokens that is impossible does, and the gateway counts itself.
 */
export function parseUsage(usage: Usage): Usage {
  const { delegated } = usage
  if (!hasCounts(usage) || delegated.length > delegatedMax || !delegated.every((one) => hasCounts(one.usage))) return nonsense
  return delegated.length === 0 ? usage : { ...usage, delegated: delegated.map(delegatedIn) }
}

/** Every number of a usage is a count. */
function hasCounts(usage: Usage): boolean {
  return Object.values(usage).every(
    (value) => typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0 && value <= countMax),
  )
}

/** The models are the vendor's names, which a log row repeats. */
function delegatedIn({ models: [model, otherwise], size, quality, usage }: Delegated): Delegated {
  return {
    models: [parseText(model, modelCharsMax), parseText(otherwise, modelCharsMax)],
    usage,
    ...(size === undefined ? {} : { size: parseText(size, nameCharsMax) }),
    ...(quality === undefined ? {} : { quality: parseText(quality, nameCharsMax) }),
  }
}
