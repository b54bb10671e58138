/** How amounts are shown, from the server's status. */
export interface Money {
  readonly quotaPerUnit: number
  readonly inCurrency: boolean
}

const steps = [
  { from: 1_000_000_000, divisor: 1_000_000_000, suffix: 'B' },
  { from: 1_000_000, divisor: 1_000_000, suffix: 'M' },
  { from: 10_000, divisor: 1_000, suffix: 'k' },
] as const

/** 12,345 -> 12.3k, 1.5M, 2.0B; smaller numbers are unchanged. Truncated, not rounded, so that 999,999 is not "1000.0k". */
export function abbreviate(value: number): string {
  const step = steps.find(({ from }) => Math.abs(value) >= from)
  if (step === undefined) return String(value)
  return `${(Math.trunc((value * 10) / step.divisor) / 10).toFixed(1)}${step.suffix}`
}

function toMoney(quota: number, { quotaPerUnit }: Money): number {
  return quotaPerUnit > 0 ? quota / quotaPerUnit : 0
}

/** Decimals of the smallest amounts. */
const decimalsMax = 6

/**
 * An amount as money, or the abbreviated quota. Money has two decimals; below a dollar it has more, at most six, where two do not show the
 * value: $1,234.50, $0.50, $0.0075, $0.00039.
 */
export function formatQuota(quota: number, money: Money): string {
  return money.inCurrency ? formatMoney(toMoney(quota, money)) : abbreviate(quota)
}

function formatMoney(amount: number): string {
  const size = Math.abs(amount)
  const exact = size.toFixed(decimalsMax)
  // "0.007500" -> "0.0075", "0.500000" -> "0.50"
  return signed(amount, size < 1 ? exact.replace(/(\.\d\d\d*?)0+$/, '$1') : size.toFixed(2))
}

/** The exact value, for the tooltip. */
export function exactQuota(quota: number, money: Money): string {
  const amount = toMoney(quota, money)
  return money.inCurrency ? `${signed(amount, Math.abs(amount).toFixed(decimalsMax))} = ${group(quota)}` : group(quota)
}

function signed(amount: number, digits: string): string {
  const [whole = '0', decimals = ''] = digits.split('.')
  return `${amount < 0 && Number(digits) !== 0 ? '-' : ''}$${group(whole)}.${decimals}`
}

/** Quota of a typed amount of money; `null` = not an amount. */
export function parseMoney(text: string, { quotaPerUnit }: Money): number | null {
  const digits = narrow(text).replace(/[\s,$]/g, '')
  if (!/^(?:\d{1,12}(?:\.\d*)?|\.\d+)$/.test(digits)) return null
  const quota = Math.round(Number(digits) * quotaPerUnit)
  return Number.isSafeInteger(quota) ? quota : null
}

/** Groups thousands in the same way in every language of the console. */
export function group(value: number | string): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** A typed whole number >= 0; `null` = invalid. */
export function parseWhole(text: string): number | null {
  const digits = narrow(text).replace(/[\s,_]/g, '')
  return /^\d{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : null
}

/** Chinese and Japanese keyboards also type wide digits and signs. */
function narrow(text: string): string {
  return text.normalize('NFKC')
}
