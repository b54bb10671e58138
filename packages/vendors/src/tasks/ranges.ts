import type { Check } from './parameter.ts'

// Checks of numbers that have limits.

export function isNumberIn(least: number, most: number): Check {
  return (value) => typeof value === 'number' && value >= least && value <= most
}

export function isWholeIn(least: number, most: number): Check {
  return (value) => Number.isInteger(value) && isNumberIn(least, most)(value)
}
