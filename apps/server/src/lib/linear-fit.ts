/** Predicts a number as a weighted sum of features; the weights are learned from samples, of which later ones count more. */
export interface LinearFit {
  predict(features: readonly number[]): number
  learn(features: readonly number[], seen: number): void
}

interface Weight {
  /** The weight before the first sample. */
  readonly value: number
  /** Its standard deviation before the first sample. */
  readonly spread: number
}

/** Expected deviation of a sample from the weighted sum: a share of it, and half a unit for rounding. */
const noiseShare = 0.02
const noiseUnits = 0.5
/** Share of a weight's first variance that is added again with each sample, so that the fit follows changes. */
const drift = 0.02

/**
 * A Kalman filter whose state is the weights (Kalman 1960; without drift it is recursive least squares). The first sample is met almost
 * exactly, by changing the least certain weights; each sample costs a few multiplications.
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
          // No weight becomes less certain than before the first sample.
          return index === column ? Math.min(first[index] ?? 0, left + drift * (first[index] ?? 0)) : left
        }),
      )
    },
  }
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}
