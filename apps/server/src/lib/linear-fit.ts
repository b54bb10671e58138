/** A number that is taken for a weighted sum of others; the weights are learned from what was seen, late samples most. */
export interface LinearFit {
  predict(features: readonly number[]): number
  learn(features: readonly number[], seen: number): void
}

interface Weight {
  /** What it is before anything was seen. */
  readonly value: number
  /** How far from that it may well be: the standard deviation. */
  readonly spread: number
}

/** How far a sample may be from the weighted sum: a part of it, and half a unit for rounding. */
const noiseShare = 0.02
const noiseUnits = 0.5
/** The part of a weight's first variance that each sample adds again, so that a fit follows what has changed. */
const drift = 0.02

/**
 * A Kalman filter whose state are the weights (Kalman 1960; recursive least squares is the case without drift). Its first sample is met
 * almost exactly, by the weights that were the least certain; each sample takes the time of a few multiplications.
 */
export function createLinearFit(given: readonly Weight[]): LinearFit {
  const first = given.map(({ spread }) => spread * spread)
  let weights = given.map(({ value }) => value)
  let covariance = first.map((variance, row) => first.map((_, column) => (row === column ? variance : 0)))

  const predict = (features: readonly number[]): number => dot(weights, features)
  return {
    predict,
    learn(features, seen) {
      const uncertain = covariance.map((row) => dot(row, features))
      const noise = (noiseShare * seen) ** 2 + noiseUnits ** 2
      const total = dot(uncertain, features) + noise
      const surprise = (seen - predict(features)) / total
      weights = weights.map((weight, index) => weight + (uncertain[index] ?? 0) * surprise)
      covariance = covariance.map((row, index) =>
        row.map((value, column) => {
          const left = value - ((uncertain[index] ?? 0) * (uncertain[column] ?? 0)) / total
          // No weight becomes less certain than it was at first.
          return index === column ? Math.min(first[index] ?? 0, left + drift * (first[index] ?? 0)) : left
        }),
      )
    },
  }
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}
