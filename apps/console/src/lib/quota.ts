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

/** `$` with two decimals, or the abbreviated quota. */
export function formatQuota(quota: number, money: Money): string {
  return money.inCurrency ? signed(toMoney(quota, money), 2) : abbreviate(quota)
}

/** For log rows, often fractions of a cent: two decimals from half a cent on, six below. */
export function formatSmallQuota(quota: number, money: Money): string {
  if (!money.inCurrency) return abbreviate(quota)
  const amount = toMoney(quota, money)
  return signed(amount, amount === 0 || Math.abs(amount) >= 0.005 ? 2 : 6)
}

/** The exact value, for the tooltip. */
export function exactQuota(quota: number, money: Money): string {
  return money.inCurrency ? `${signed(toMoney(quota, money), 6)} = ${group(quota)}` : group(quota)
}

function signed(amount: number, decimals: number): string {
  const text = Math.abs(amount).toFixed(decimals)
  return `${amount < 0 && Number(text) !== 0 ? '-' : ''}$${text}`
}

/** Groups thousands in the same way in every language of the console. */
export function group(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** A typed whole number >= 0; `null` = invalid. */
export function parseWhole(text: string): number | null {
  const digits = text.replace(/[\s,_]/g, '')
  return /^\d{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : null
}
