import type { ReactNode } from 'react'
import type { RowSheet } from '../lib/use-row-sheet.ts'
import { ReadGate } from './read-gate.tsx'
import { Sheet } from './sheet.tsx'

interface RowSheetPanelProps<Row> {
  readonly sheet: RowSheet<Row>
  /** The title while the row is loaded, and without `nameOf` also afterwards. */
  readonly title: string
  readonly nameOf?: (row: Row) => string
  readonly children: (row: Row) => ReactNode
}

/** The side sheet of a row, which is in the list or is read alone. */
export function RowSheetPanel<Row>({ sheet: { row, read, isOpen, close }, title, nameOf, children }: RowSheetPanelProps<Row>) {
  return (
    <Sheet title={row === undefined ? title : (nameOf?.(row) ?? title)} side="right" isOpen={isOpen} onClose={close}>
      {row === undefined ? <ReadGate read={read}>{children}</ReadGate> : children(row)}
    </Sheet>
  )
}
