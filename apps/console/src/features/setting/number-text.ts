import { type OptionKey, optionRow } from '@sluice/contract'
import type { MessageKey, MessageParams } from '../../lib/t.ts'

/** The text, with its parameters, that says which numbers an option takes. */
export function numberText(key: OptionKey): readonly [MessageKey, MessageParams] {
  const { isWhole = false, isAboveZero = false, range } = optionRow(key)
  if (range !== undefined) {
    const [least, most] = range
    return [isWhole ? 'setting.number.wholeWithin' : 'setting.number.within', { least, most }]
  }
  if (isAboveZero) return ['setting.number.above', {}]
  return [isWhole ? 'setting.number.whole' : 'setting.number', {}]
}
