interface Present {
  readonly value: number
  /** Smaller values become this. */
  readonly min: number | null
}

/** The new value of an edited cell; `null` = no change. */
export function parseWholeCell(text: string, { value, min }: Present): number | null {
  if (!/^[+-]?\d{1,10}$/.test(text.trim())) return null
  const next = Math.max(Number(text), min ?? Number.NEGATIVE_INFINITY)
  return next === value ? null : next
}
