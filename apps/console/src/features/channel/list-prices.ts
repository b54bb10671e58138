import { jsonFault } from '../../ui/json-fault.ts'

type Prices = Readonly<Record<string, unknown>>

/** The text of cost prices with the list prices that it lacks. `null`: it lacks none, or is no JSON object that could be added to. */
export function withListPrices(text: string, listed: Prices): string | null {
  if (text.trim() !== '' && jsonFault(text) !== null) return null
  const own: unknown = text.trim() === '' ? {} : JSON.parse(text)
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return null
  const lacking = Object.keys(listed).filter((model) => !Object.hasOwn(own, model))
  return lacking.length === 0 ? null : JSON.stringify({ ...listed, ...own }, null, 2)
}
