import type { Json, JsonObject } from '../../core/json.ts'

const isSeveral = (count: Json | undefined): boolean => typeof count === 'number' && count > 1

/** The parameter by which a request wants several choices; `null` = it wants one. */
export function refusedIfSeveral({ n, best_of: best }: JsonObject): string | null {
  if (isSeveral(n)) return 'n'
  return isSeveral(best) ? 'best_of' : null
}
