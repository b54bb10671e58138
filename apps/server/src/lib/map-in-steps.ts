import { createPauses } from './pauses.ts'

/** What becomes of each item. Other work gets a turn between two of them. */
export async function mapInSteps<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  toResult: (item: Item) => Result,
): Promise<Result[]> {
  const pause = createPauses()
  const results: Result[] = []
  for await (const item of items) {
    await pause()
    results.push(toResult(item))
  }
  return results
}
