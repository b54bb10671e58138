import type { Endpoint } from '@sluice/contract'
import { createPauses } from '../lib/pauses.ts'
import { readableOutput } from '../lib/readable-output.ts'

/** Items of a list that are checked at a time. */
const checkedAtOnce = 16

/**
 * The result of a call as its schema has it. The items of a list are checked in steps, so that other work gets a turn.
 * @param damaged gets the places of values that were replaced, because they are damaged in the database
 */
export async function checkInSteps(
  { data }: Pick<Endpoint, 'data'>,
  result: unknown,
  damaged: (places: readonly string[]) => void,
): Promise<unknown> {
  if (!Array.isArray(result) || result.length <= checkedAtOnce) return readableOutput(data, result, damaged)
  const pause = createPauses()
  const checked: unknown[] = []
  for (let from = 0; from < result.length; from += checkedAtOnce) {
    await pause()
    // Holds: a schema that accepts a list accepts a part of it, and returns a list.
    checked.push(...(readableOutput(data, result.slice(from, from + checkedAtOnce), damaged) as unknown[]))
  }
  return checked
}
