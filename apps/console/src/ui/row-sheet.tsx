import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { isDialogKey, useKey } from '../lib/shortcuts.ts'
import { useT } from '../lib/t.ts'
import type { RowSheet } from '../lib/use-row-sheet.ts'
import { useVisibleRows } from '../lib/visible-rows.ts'
import { IconButton } from './button.tsx'
import { ReadGate } from './read-gate.tsx'
import { Sheet } from './sheet.tsx'
import { isDetails, type RowAction } from './table/actions.ts'
import { SheetActions } from './table/sheet-actions.tsx'
import { rowElement } from './table/use-row-runner.ts'

interface RowSheetPanelProps<Row> {
  readonly sheet: RowSheet<Row>
  /** The title while the row is loaded, and without `nameOf` also afterwards. */
  readonly title: string
  readonly nameOf?: (row: Row) => string
  readonly children: (row: Row) => ReactNode
}

/** The side sheet of a row, which is in the list or is read alone. */
export function RowSheetPanel<Row>({ sheet, title, nameOf, children }: RowSheetPanelProps<Row>) {
  const { row, read, isOpen, id } = sheet
  // The row to which the reader has moved gets the focus, else the one that had it before.
  const movedTo = useRef<number | null>(null)
  const name = row === undefined ? title : (nameOf?.(row) ?? title)
  const move = (to: number) => {
    movedTo.current = to
    sheet.show(to)
  }
  const focusAfter = () => (movedTo.current === id ? rowElement(id) : null)
  return (
    <Sheet
      title={name}
      side="right"
      isOfRow
      tools={isOpen ? <RowSteps id={id} name={name} onMove={move} /> : null}
      focusAfter={focusAfter}
      isOpen={isOpen}
      onClose={sheet.close}
    >
      {row === undefined ? <ReadGate read={read}>{children}</ReadGate> : children(row)}
    </Sheet>
  )
}

interface EntitySheetProps<Row> extends RowSheetPanelProps<Row> {
  readonly nameOf: (row: Row) => string
  readonly badges: (row: Row) => ReactNode
  readonly actions: (row: Row) => readonly RowAction[]
}

/** What the sheet of a noun is given by its list. */
export type ListedSheetProps<Row> = Pick<EntitySheetProps<Row>, 'sheet' | 'actions'>

/** The side sheet of a row that can be changed: its badges and actions come before its facts. */
export function EntitySheet<Row extends { readonly id: number }>({ badges, actions, children, ...panel }: EntitySheetProps<Row>) {
  return (
    <RowSheetPanel {...panel}>
      {(row) => (
        <div className="space-y-4">
          <div className="flex flex-wrap items-center gap-2">{badges(row)}</div>
          <SheetActions
            id={row.id}
            name={panel.nameOf(row)}
            actions={actions(row).filter((action) => !isDetails(action))}
            close={panel.sheet.close}
          />
          {children(row)}
        </div>
      )}
    </RowSheetPanel>
  )
}

interface RowStepsProps {
  readonly id: number
  readonly name: string
  readonly onMove: (id: number) => void
}

/** Buttons and keys for the rows before and after the open one; nothing for a row that the page does not show. */
function RowSteps({ id, name, onMove }: RowStepsProps) {
  const t = useT()
  const ids = useVisibleRows()
  const at = ids.indexOf(id)
  const move = (by: 1 | -1) => {
    const to = at < 0 ? undefined : ids[at + by]
    if (to !== undefined) onMove(to)
  }
  useKey('j', () => move(1), isDialogKey)
  useKey('k', () => move(-1), isDialogKey)
  if (at < 0 || ids.length === 1) return null
  return (
    <div data-steps className="flex shrink-0 items-center">
      <span role="status" className="mr-2 text-sm text-muted tabular">
        <span className="sr-only">
          <bdi>{name}</bdi>:{' '}
        </span>
        {at + 1} / {ids.length}
      </span>
      {/* A button without a row keeps the focus. */}
      <IconButton label={t('list.row.previous')} aria-disabled={at === 0} className="aria-disabled:opacity-50" onClick={() => move(-1)}>
        <ChevronUp aria-hidden className="size-4" />
      </IconButton>
      <IconButton
        label={t('list.row.next')}
        aria-disabled={at === ids.length - 1}
        className="aria-disabled:opacity-50"
        onClick={() => move(1)}
      >
        <ChevronDown aria-hidden className="size-4" />
      </IconButton>
    </div>
  )
}
