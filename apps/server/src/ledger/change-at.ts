/**
 * What a form's change comes to at the amount there is now: what is added is added, what is taken away stops at nothing, because quota
 * that was spent while the form was open is gone already.
 */
export function changeAt(now: number, change: number): number {
  return change < 0 ? Math.max(change, Math.min(0, -now)) : change
}
