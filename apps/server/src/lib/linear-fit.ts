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
 * exactly, by changing the least certain weights; each sample costs a few multiplications, in place, because every response is one.
 */
export function createLinearFit(samples: readonly Weight[]): LinearFit {
  const count = samples.length
  const first = Float64Array.from(samples, ({ spread }) => spread * spread)
  const weights = Float64Array.from(samples, ({ value }) => value)
  /** Row after row. */
  const covariance = new Float64Array(count * count)
  for (let index = 0; index < count; index++) covariance[index * count + index] = first[index] ?? 0
  const uncertain = new Float64Array(count)

  const predict = (features: readonly number[]): number => dot(weights, features)

  function spreadOf(features: readonly number[]): void {
    for (let row = 0; row < count; row++) {
      let sum = 0
      for (let column = 0; column < count; column++) sum += (covariance[row * count + column] ?? 0) * (features[column] ?? 0)
      uncertain[row] = sum
    }
  }

  function narrow(total: number): void {
    for (let row = 0; row < count; row++)
      for (let column = 0; column < count; column++) {
        const at = row * count + column
        const left = (covariance[at] ?? 0) - ((uncertain[row] ?? 0) * (uncertain[column] ?? 0)) / total
        const most = first[row] ?? 0
        // No weight becomes less certain than before the first sample.
        covariance[at] = row === column ? Math.min(most, left + drift * most) : left
      }
  }

  return {
    predict,
    learn(features, seen) {
      spreadOf(features)
      const total = dot(uncertain, features) + (noiseShare * seen) ** 2 + noiseUnits ** 2
      const surprise = (seen - predict(features)) / total
      for (let index = 0; index < count; index++) weights[index] = (weights[index] ?? 0) + (uncertain[index] ?? 0) * surprise
      narrow(total)
    },
  }
}

function dot(left: Float64Array, right: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
