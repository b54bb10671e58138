import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { useState } from 'react'
import { moveColumn, toggleColumn } from '../../lib/column-layout.ts'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../button.tsx'
import { Popover } from '../popover.tsx'
import { Checkbox } from '../toggle.tsx'
import type { ChosenColumns } from './use-columns.ts'

export function ColumnChooser<Row>({ columns }: { readonly columns: ChosenColumns<Row> }) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const trigger = (
    <Button size="sm" look="secondary">
      <Columns3 aria-hidden className="size-4 text-muted" />
      {t('list.columns')}
    </Button>
  )
  return (
    <Popover title={t('list.columns.title')} trigger={trigger} isOpen={isOpen} setOpen={setOpen} align="end" className="w-64 p-2">
      <div className="mb-1 flex items-center justify-between gap-2 px-1">
        <h2 className="font-semibold">{t('list.columns.title')}</h2>
        <Button size="sm" look="quiet" onClick={columns.reset}>
          {t('action.reset')}
        </Button>
      </div>
      <ColumnList columns={columns} />
    </Popover>
  )
}

/** The columns in their order, each with a checkbox and buttons that move it. */
export function ColumnList<Row>({ columns }: { readonly columns: ChosenColumns<Row> }) {
  return (
    <ul>
      {columns.layout.order.map((id) => (
        <ColumnRow key={id} id={id} columns={columns} />
      ))}
    </ul>
  )
}

function ColumnRow<Row>({ id, columns }: { readonly id: string; readonly columns: ChosenColumns<Row> }) {
  const t = useT()
  const { all, layout, setLayout } = columns
  const name = all.find((column) => column.id === id)?.header ?? id
  const isShown = !layout.hidden.includes(id)
  const isLast = isShown && layout.order.length - layout.hidden.length <= 1
  const at = layout.order.indexOf(id)
  return (
    <li className="flex items-center gap-2 rounded-sm px-1 hover:bg-hover">
      <Checkbox label={name} isChecked={isShown} isDisabled={isLast} onChange={() => setLayout(toggleColumn(layout, id))} />
      <span aria-hidden className="min-w-0 flex-1 truncate py-1">
        {name}
      </span>
      <IconButton
        label={t('list.columns.up', { name })}
        tooltipSide="bottom"
        disabled={at === 0}
        onClick={() => setLayout(moveColumn(layout, id, -1))}
      >
        <ArrowUp aria-hidden className="size-3.5" />
      </IconButton>
      <IconButton
        label={t('list.columns.down', { name })}
        disabled={at === layout.order.length - 1}
        onClick={() => setLayout(moveColumn(layout, id, 1))}
      >
        <ArrowDown aria-hidden className="size-3.5" />
      </IconButton>
    </li>
  )
}
