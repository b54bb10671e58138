import { usePageCommands } from '../../lib/page-commands.ts'
import { useUsedKeys } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import type { RowAction } from './actions.ts'
import { type RowRunner, rowElement } from './use-row-runner.ts'
import type { Selection } from './use-selection.ts'

interface RowCommands<Row> {
  readonly rows: readonly Row[]
  readonly rowActions: (row: Row) => readonly RowAction[]
  readonly nameOf: (row: Row) => string
  readonly runner: RowRunner
  readonly selection: Selection<Row> | null
}

/** Offers the actions of the row with the focus in the command palette, and the keys of rows in the list of shortcuts. */
export function useRowCommands<Row extends { readonly id: number }>(props: RowCommands<Row>): void {
  const { rows, rowActions, nameOf, runner, selection } = props
  const t = useT()
  usePageCommands((from) => {
    const row = rows.find(({ id }) => rowElement(id)?.contains(from) === true)
    if (row === undefined) return null
    const usable = rowActions(row).filter(({ isDisabled, isBusy }) => isDisabled !== true && isBusy !== true)
    return {
      title: t('list.actions.of', { name: nameOf(row) }),
      commands: usable.map((action) => ({
        id: `page:row:${action.id}`,
        label: action.label,
        icon: action.icon,
        ...(action.key !== undefined && { keys: [action.key === 'Delete' ? 'Del' : action.key] }),
        ...(action.isDangerous === true && { isDangerous: true }),
        ...('link' in action ? { link: action.link } : { run: () => runner.run(row.id, action) }),
      })),
    }
  })
  useUsedKeys(() => {
    const [row] = rows
    if (row === undefined) return []
    const keys = rowActions(row).flatMap(({ key, label }) => (key === undefined ? [] : [{ key, label }]))
    return selection === null ? keys : [{ key: 'x' }, ...keys]
  })
}
