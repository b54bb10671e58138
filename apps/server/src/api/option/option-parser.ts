import { type OptionKey, options } from '@sluice/contract'

/** Reads the text of an option; `null` = it is none of its values. */
export type ParseOption = (key: OptionKey, text: string) => unknown

/** Texts of each option whose values are kept: the present one, and one that is being saved. */
const textsMax = 2

/** Parses each text once: every save and every reload goes through all options, and a table of prices may have thousands of rows. */
export function createOptionParser(): ParseOption {
  const parsed = new Map<OptionKey, Map<string, unknown>>()
  return (key, text) => {
    const values = parsed.get(key) ?? new Map<string, unknown>()
    parsed.set(key, values)
    if (values.has(text)) return values.get(text)
    const value: unknown = options[key].parse(text)
    const [oldest] = values.keys()
    if (values.size >= textsMax && oldest !== undefined) values.delete(oldest)
    values.set(text, value)
    return value
  }
}
