import type { Channel, Tier } from '../model/channel.ts'

/** How to choose a channel of a tier. */
interface Choice {
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  readonly isUsable: (channel: Channel) => boolean
  /** Compares two drawn channels: the one with less load is taken; `null`: the first drawn is taken. */
  readonly load: ((channel: Channel) => number) | null
}

/** Draws before the whole tier is scanned: enough if most of it is usable, so the cost does not depend on the tier's size. */
const drawsMax = 8

/** One usable channel of the tier, drawn by weight (0 counts as 1); `null`: none is usable. */
export function pick(tier: Tier, choice: Choice): Channel | null {
  const first = drawUsable(tier, choice)
  if (first === null || choice.load === null || tier.channels.length === 1) return first
  const { isUsable, load } = choice
  const second = drawUsable(tier, { ...choice, isUsable: (channel) => channel !== first && isUsable(channel) })
  return second !== null && load(second) < load(first) ? second : first
}

function drawUsable(tier: Tier, { random, isUsable }: Omit<Choice, 'load'>): Channel | null {
  const [only] = tier.channels
  if (tier.channels.length === 1 && only !== undefined) return isUsable(only) ? only : null
  for (let draws = 0; draws < drawsMax; draws++) {
    const drawn = draw(tier, random())
    if (isUsable(drawn)) return drawn
  }
  const usable = tier.channels.filter(isUsable)
  return usable.length === 0 ? null : draw(tierOf(usable), random())
}

/** @param point in [0, 1) */
function draw({ channels, sums }: Tier, point: number): Channel {
  const target = point * (sums.at(-1) ?? 0)
  let low = 0
  let high = channels.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) > target) high = middle
    else low = middle + 1
  }
  // Holds: `low` ends within the list, and no tier is empty.
  return channels[low] as Channel
}

/** Its weight in a draw; 0 counts as 1. */
const shareOf = ({ weight }: Channel): number => Math.max(1, weight)

/** @param channels at least one */
export function tierOf(channels: readonly Channel[]): Tier {
  let sum = 0
  const sums = channels.map((channel) => {
    sum += shareOf(channel)
    return sum
  })
  return { channels, sums }
}

/** The chance of each channel to be drawn first, of those that can be used. */
export function chancesOf(usable: readonly Channel[]): ReadonlyMap<Channel, number> {
  const sum = usable.reduce((all, channel) => all + shareOf(channel), 0)
  return new Map(usable.map((channel) => [channel, shareOf(channel) / sum]))
}
