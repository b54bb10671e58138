import { useT } from '../../lib/t.ts'
import type { Group } from './dashboard-search.ts'
import type { UsageLine } from './usage-lines.ts'

/** The name of a line. Models and tokens are named by the log; of a deleted channel or account only the number is left. */
export function useLineName(group: Group): (line: UsageLine) => string {
  const t = useT()
  return ({ id, name, isOther }) => {
    if (isOther) return t('dashboard.other')
    if (name !== '') return name
    if (id === 0 || group === 'model' || group === 'token') return t(`dashboard.none.${group}`)
    return t('dashboard.deleted', { id })
  }
}
