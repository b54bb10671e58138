import type { RowAction } from './actions.ts'

interface ActionGroup {
  readonly name: string | null
  readonly actions: readonly RowAction[]
}

/** Groups neighbours with the same group; dangerous actions form the last group. */
export function actionGroups(actions: readonly RowAction[]): readonly ActionGroup[] {
  const calm = actions.filter(({ isDangerous }) => !isDangerous)
  const names = [...new Set(calm.map(({ group }) => group ?? null))]
  const groups = names.map((name) => ({ name, actions: calm.filter(({ group }) => (group ?? null) === name) }))
  const danger = { name: null, actions: actions.filter(({ isDangerous }) => isDangerous) }
  return [...groups, danger].filter((group) => group.actions.length > 0)
}
