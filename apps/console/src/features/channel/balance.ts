import type { BalanceUnit } from '@sluice/vendors/core/vendor'
import { abbreviate, group } from '../../lib/quota.ts'

/** A balance in its vendor's unit: money with two decimals, quota as quota. */
export function formatBalance(balance: number, { unit, divisor = 1 }: BalanceUnit): string {
  const amount = balance / divisor
  if (unit === 'quota') return abbreviate(amount)
  const digits = Math.abs(amount).toFixed(2)
  return `${amount < 0 && Number(digits) !== 0 ? '-' : ''}${unit}${group(digits)}`
}
