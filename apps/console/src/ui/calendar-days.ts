const daysMax = 42

/** The days of six weeks that contain the month of a day. A week begins on Monday. */
export function daysOfMonth(day: Date): readonly Date[] {
  const first = new Date(day.getFullYear(), day.getMonth(), 1)
  const before = (first.getDay() + 6) % 7
  return Array.from({ length: daysMax }, (_, index) => new Date(first.getFullYear(), first.getMonth(), 1 - before + index))
}

/** The day `count` months later, or the last one of that month if it is shorter. */
export function addMonths(day: Date, count: number): Date {
  const last = new Date(day.getFullYear(), day.getMonth() + count + 1, 0)
  return new Date(last.getFullYear(), last.getMonth(), Math.min(day.getDate(), last.getDate()))
}

function addDays(day: Date, count: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + count)
}

const weekday = (day: Date): number => (day.getDay() + 6) % 7

/** The day that a key moves to; `undefined` = the key moves nowhere. */
export function dayAfterKey(day: Date, key: string): Date | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1)
    case 'ArrowRight':
      return addDays(day, 1)
    case 'ArrowUp':
      return addDays(day, -7)
    case 'ArrowDown':
      return addDays(day, 7)
    case 'Home':
      return addDays(day, -weekday(day))
    case 'End':
      return addDays(day, 6 - weekday(day))
    case 'PageUp':
      return addMonths(day, -1)
    case 'PageDown':
      return addMonths(day, 1)
    default:
      return undefined
  }
}
