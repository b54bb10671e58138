import type { KeyboardEvent } from 'react'
import { useStable } from '../../lib/use-stable.ts'
import type { ActAction, RowAction } from './actions.ts'
import type { RowRunner } from './use-row-runner.ts'
import type { Selection } from './use-selection.ts'

/** What a row of a table and a card have in common. Only what is rendered changes; the handlers stay the same. */
export interface RowProps<Row> {
  readonly row: Row
  readonly name: string
  /** `null` = it cannot be selected. */
  readonly isSelected: boolean | null
  /** `null` = no row of the list has actions. */
  readonly actions: readonly RowAction[] | null
  readonly onRun: (row: Row, action: ActAction) => void
  readonly onSelect: (row: Row, isRange: boolean) => void
  readonly onRowKey: (event: KeyboardEvent, row: Row) => void
  /** `null` = the rows have no details. */
  readonly onOpen: ((row: Row) => void) | null
}

interface RowSource<Row> {
  readonly nameOf: (row: Row) => string
  readonly rowActions: ((row: Row) => readonly RowAction[]) | null
  readonly runner: RowRunner
  readonly selection: Selection<Row> | null
  readonly onRowKey: (event: KeyboardEvent, row: Row) => void
  readonly onOpen: ((row: Row) => void) | null
}

/** The properties of each row of a page. */
export function useRowProps<Row extends { readonly id: number }>(source: RowSource<Row>): (row: Row) => RowProps<Row> {
  const { nameOf, rowActions, runner, selection, onRowKey, onOpen } = source
  // A row that has not rendered again holds an old action; the page's current one does the work.
  const run = useStable((row: Row, { id }: ActAction) => {
    const action = rowActions?.(row).find((present) => present.id === id)
    if (action !== undefined && 'act' in action) runner.run(row.id, action)
  })
  const select = useStable((row: Row, isRange: boolean) => selection?.toggle(row.id, isRange))
  const press = useStable(onRowKey)
  const open = useStable((row: Row) => onOpen?.(row))
  return (row) => ({
    row,
    name: nameOf(row),
    isSelected: selection?.has(row.id) ?? null,
    actions: rowActions?.(row) ?? null,
    onRun: run,
    onSelect: select,
    onRowKey: press,
    onOpen: onOpen && open,
  })
}

/** For `memo`: whether a row looks the same with both. A page makes its actions anew in each render, and few renders change a row. */
export function isSameRow<Props extends Pick<RowProps<never>, 'actions'>>(one: Props, other: Props): boolean {
  // Holds: these are the names of its members.
  const names = Object.keys(other) as (keyof Props)[]
  return names.every((name) => name === 'actions' || Object.is(one[name], other[name])) && areSame(one.actions ?? [], other.actions ?? [])
}

function areSame(one: readonly RowAction[], other: readonly RowAction[]): boolean {
  return one.length === other.length && one.every((action, index) => isSameLook(action, other[index]))
}

/** What is rendered of an action, beside its link. */
const rendered = ['id', 'label', 'icon', 'isInline', 'isDangerous', 'isDisabled', 'isBusy', 'group'] as const

function isSameLook(one: RowAction, other: RowAction | undefined): boolean {
  return other !== undefined && rendered.every((name) => one[name] === other[name]) && linkOf(one) === linkOf(other)
}

const linkOf = (action: RowAction): string => ('link' in action ? JSON.stringify(action.link) : '')
