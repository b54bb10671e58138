/** A sum of whole quota: a number while that is exact, a bigint beyond. */
export type ExactSum = number | bigint

/**
 * Adds two sums exactly, whatever their size. Nearly every sum is a safe integer, which costs one comparison.
 * @throws RangeError if a part is not a whole number
 */
export function addExact(one: ExactSum, other: ExactSum): ExactSum {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other
    if (Number.isSafeInteger(sum) && Number.isInteger(one) && Number.isInteger(other)) return sum
  }
  return narrow(BigInt(one) + BigInt(other))
}

/** A whole number as SQL writes it as text. */
export function parseExact(text: string): ExactSum {
  return narrow(BigInt(text))
}

/** 0 stays 0. */
export const negate = (sum: ExactSum): ExactSum => (typeof sum === 'number' ? 0 - sum : -sum)

/**
 * The SQL of a sum that stays a number that JavaScript keeps exactly: NULL, which no amount may be, where a change leads beyond. One that leads back
 * is possible.
 */
export function safeSum(amount: string, change: string): string {
  const sum = `${amount} + ${change}`
  const max = Number.MAX_SAFE_INTEGER
  return `CASE WHEN (${sum} > ${max} AND ${change} > 0) OR (${sum} < -${max} AND ${change} < 0) THEN NULL ELSE ${sum} END`
}

/** The distance between two sums; rounded beyond 2^53. */
export function distance(one: ExactSum, other: ExactSum): number {
  return Math.abs(Number(BigInt(one) - BigInt(other)))
}

function narrow(sum: bigint): ExactSum {
  const number = Number(sum)
  return Number.isSafeInteger(number) ? number : sum
}
