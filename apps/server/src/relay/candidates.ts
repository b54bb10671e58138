import type { Channel, Tier } from './channels.ts'

/**
 * The channels to try, one after another: tiers by priority, inside a tier drawn by weight (0 counts as 1), none twice.
 * @param random numbers in [0, 1)
 */
export function* candidates(tiers: readonly Tier[], random: () => number): Generator<Channel, void> {
  for (const tier of tiers) {
    const left = [...tier]
    while (left.length > 0) {
      const [drawn] = left.splice(drawByWeight(left, random), 1)
      if (drawn !== undefined) yield drawn
    }
  }
}

function drawByWeight(channels: Tier, random: () => number): number {
  if (channels.length === 1) return 0
  const weights = channels.map(({ weight }) => Math.max(1, weight))
  let point = random() * weights.reduce((sum, weight) => sum + weight, 0)
  const index = weights.findIndex((weight) => {
    point -= weight
    return point < 0
  })
  return index === -1 ? channels.length - 1 : index
}
