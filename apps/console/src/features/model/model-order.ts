import type { ModelRow } from '@sluice/contract'

/** Orders of the list; missing = by name. Models without the value come last. */
export const modelSorts = ['price', '-price', '-context', '-released', 'speed', '-throughput'] as const
export type ModelSort = (typeof modelSorts)[number]

type Sorted = Pick<ModelRow, 'name' | 'context' | 'prices' | 'is_priced' | 'released' | 'first_byte' | 'tokens_per_second'>

/** The price that models are compared by: that of the input. `null` = none; prices of images or seconds are not comparable with it. */
function priceOf({ prices, is_priced }: Sorted): number | null {
  if (!is_priced) return null
  return prices['prompt'] ?? (Object.keys(prices).length === 0 ? 0 : null)
}

const valueOfSort: Readonly<Record<ModelSort, (row: Sorted) => number | null>> = {
  price: priceOf,
  '-price': (row) => negative(priceOf(row)),
  '-context': ({ context }) => (context === 0 ? null : -context),
  '-released': ({ released }) => negative(dayOf(released)),
  speed: ({ first_byte: firstByte }) => firstByte,
  '-throughput': ({ tokens_per_second: throughput }) => negative(throughput),
}

/** A month alone is its first day. */
const dayOf = (released: string): number | null => (released === '' ? null : Date.parse(released))

const negative = (value: number | null): number | null => (value === null ? null : -value)

/** The models in an order; those that have no such value are last, and equal ones stay as they are. */
export function inOrder<Row extends Sorted>(rows: readonly Row[], sort: ModelSort | undefined): readonly Row[] {
  if (sort === undefined) return rows
  const read = valueOfSort[sort]
  return rows.toSorted((one, other) => {
    const [a, b] = [read(one), read(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return a - b
  })
}
