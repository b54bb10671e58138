import type { Lengths } from '../../core/task.ts'

export function isLength(lengths: Lengths, seconds: number): boolean {
  if ('least' in lengths) return Number.isInteger(seconds) && seconds >= lengths.least && seconds <= lengths.most
  return lengths.includes(seconds)
}
