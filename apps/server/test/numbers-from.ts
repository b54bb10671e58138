/** A generator of pseudo-random numbers in [0, 1), so that a failed test can be repeated with its seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
