/** The type that a channel of another product gets. */
export interface PeerType {
  readonly type: number
  /** Base URL of a channel that has none; `undefined` = the type's. */
  readonly baseUrl?: string
  /** In the other product, the base URL includes the path of chat completions. */
  readonly isWholeAddress?: boolean
}

/** The type of any OpenAI-compatible server. */
const compatible = 8

type Peers = Readonly<Record<number, PeerType | null>>

/** Types `from` to `to`, which have the same numbers here. */
const same = (from: number, to: number): Peers =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, { type: from + index }]))

const moved = (numbers: Readonly<Record<number, number>>): Peers =>
  Object.fromEntries(Object.entries(numbers).map(([from, type]) => [from, { type }]))

const compatibleAt = (addresses: Readonly<Record<number, string>>): Peers =>
  Object.fromEntries(Object.entries(addresses).map(([from, baseUrl]) => [from, { type: compatible, baseUrl }]))

/**
 * Channel types of the products that channels are imported from, as their sources number them (read 2026-11-21): one-api v0.6.8 and 8df4a26,
 * new-api 016c88c `constant/channel.go`, ye4293/one-api f3e60af `common/constants.go`. `null` or missing = there is no equivalent here.
 */
export const peerTypes: Readonly<Record<'one-api-0.6.8' | 'one-api' | 'new-api' | 'ezlinkai', Peers>> = {
  'one-api-0.6.8': same(1, 43),
  'one-api': {
    ...same(1, 43),
    ...compatibleAt({
      44: 'https://api.siliconflow.cn',
      45: 'https://api.x.ai',
    }),
    // The newer interfaces of vendors, which have one type here.
    ...moved({ 47: 15, 48: 18, 49: 17 }),
    50: { type: compatible },
    51: { type: 24 },
  },
  'new-api': {
    1: { type: 1 },
    3: { type: 3 },
    8: { type: compatible, isWholeAddress: true },
    ...same(6, 7),
    ...same(9, 25),
    ...moved({ 4: 30, 26: 16, 31: 31, 33: 33, 34: 35, 35: 27, 36: 45, 39: 37, 41: 42, 42: 28, 43: 36, 45: 40, 46: 15, 55: 48 }),
    ...compatibleAt({
      40: 'https://api.siliconflow.cn',
      48: 'https://api.x.ai',
      53: 'https://llm.submodel.ai',
    }),
    47: { type: compatible },
    // The vendor's other host.
    49: { type: 34, baseUrl: 'https://api.coze.cn' },
  },
  ezlinkai: {
    ...same(1, 31),
    ...same(33, 35),
    ...moved({ 36: 39, 37: 36, 39: 41, 45: 46, 46: 47, 48: 42 }),
    ...compatibleAt({ 47: 'https://api.x.ai' }),
  },
}
