import type { Channel, Tier } from '../model/channel.ts'
import type { ConversationHash } from './conversation.ts'

/** How to choose a channel of a tier. */
interface Choice {
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  readonly isUsable: (channel: Channel) => boolean
  /** Compares two randomly picked channels: the one with less load is taken; `null`: the first pick is taken. */
  readonly load: ((channel: Channel) => number) | null
  /** What the request is a part of: it keeps its channel while that is usable. */
  readonly conversation: ConversationHash
}

/** Draws before the whole tier is scanned: enough if most of it is usable, so the cost does not depend on the tier's size. */
const drawsMax = 8

/** One usable channel of the tier, by weight (0 counts as 1): that of the conversation, or a random one. `null`: none is usable. */
export function pick(tier: Tier, choice: Choice): Channel | null {
  const { conversation } = choice
  return conversation === null || tier.channels.length === 1 ? draw(tier, choice) : meet(tier.channels, conversation, choice)
}

/**
 * Weighted rendezvous hashing: each channel has a distance to the conversation, of an exponential distribution with its weight, and the nearest
 * usable one is taken. Without a store, every node takes the same; when a channel fails, only its own conversations move, and move back later.
 */
function meet(channels: readonly Channel[], conversation: bigint, { isUsable }: Pick<Choice, 'isUsable'>): Channel | null {
  const [low, high] = [Number(conversation & 0xffff_ffffn), Number(conversation >> 32n)]
  const distances = channels.map((channel) => distanceTo(channel, low, high))
  for (let tries = 0; tries < drawsMax; tries += 1) {
    let nearest = 0
    for (let at = 1; at < distances.length; at += 1) if ((distances[at] ?? 0) < (distances[nearest] ?? 0)) nearest = at
    const channel = channels[nearest]
    if (channel === undefined || distances[nearest] === Number.POSITIVE_INFINITY) return null
    if (isUsable(channel)) return channel
    distances[nearest] = Number.POSITIVE_INFINITY
  }
  const rest = channels.flatMap((channel, at) => {
    const distance = distances[at] ?? Number.POSITIVE_INFINITY
    return distance < Number.POSITIVE_INFINITY && isUsable(channel) ? [{ channel, distance }] : []
  })
  return (
    rest.reduce<{ channel: Channel; distance: number } | null>(
      (one, two) => (one !== null && one.distance <= two.distance ? one : two),
      null,
    )?.channel ?? null
  )
}

function distanceTo(channel: Channel, low: number, high: number): number {
  const mixed = mix(mix(low ^ Math.imul(channel.id, 0x9e37_79b1)) ^ high) >>> 0
  return -Math.log((mixed + 0.5) / 2 ** 32) / shareOf(channel)
}

/** Spreads the bits of a whole number of 32 bits (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let mixed = number ^ (number >>> 16)
  mixed = Math.imul(mixed, 0x85eb_ca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}

/** Picked anew for each request. */
function draw(tier: Tier, choice: Omit<Choice, 'conversation'>): Channel | null {
  const first = drawUsable(tier, choice)
  if (first === null || choice.load === null || tier.channels.length === 1) return first
  const { isUsable, load } = choice
  const second = drawUsable(tier, { ...choice, isUsable: (channel) => channel !== first && isUsable(channel) })
  return second !== null && load(second) < load(first) ? second : first
}

function drawUsable(tier: Tier, { random, isUsable }: Pick<Choice, 'random' | 'isUsable'>): Channel | null {
  const [only] = tier.channels
  if (tier.channels.length === 1 && only !== undefined) return isUsable(only) ? only : null
  for (let draws = 0; draws < drawsMax; draws++) {
    const picked = at(tier, random())
    if (isUsable(picked)) return picked
  }
  const usable = tier.channels.filter(isUsable)
  return usable.length === 0 ? null : at(tierOf(usable), random())
}

/** @param point in [0, 1) */
function at({ channels, sums }: Tier, point: number): Channel {
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

/** The probability of each usable channel to be picked first. */
export function chancesOf(usable: readonly Channel[]): ReadonlyMap<Channel, number> {
  const sum = usable.reduce((all, channel) => all + shareOf(channel), 0)
  return new Map(usable.map((channel) => [channel, shareOf(channel) / sum]))
}
