/**
 * Applies the change made in a form to the current amount. An increase is added; a decrease stops at zero, because quota that was spent
 * while the form was open is already gone.
 */
export function changeAt(now: number, change: number): number {
  return change < 0 ? Math.max(change, Math.min(0, -now)) : change
}
