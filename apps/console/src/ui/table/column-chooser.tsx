import { Popover as Base } from '@base-ui/react/popover'
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { moveColumn, toggleColumn } from '../../lib/column-layout.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button, IconButton } from '../button.tsx'
import { popupClass } from '../menu.tsx'
import { Checkbox } from '../toggle.tsx'
import type { ChosenColumns } from './use-columns.ts'

export function ColumnChooser<Row>({ columns }: { readonly columns: ChosenColumns<Row> }) {
  const t = useT()
  return (
    <Base.Root>
      <Base.Trigger
        render={
          <Button size="sm" look="secondary" className="max-sm:hidden">
            <Columns3 aria-hidden className="size-4 text-muted" />
            {t('list.columns')}
          </Button>
        }
      />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className={cx(popupClass, 'max-h-(--available-height) w-64 overflow-y-auto p-2')}>
            <div className="mb-1 flex items-center justify-between gap-2 px-1">
              <Base.Title className="font-semibold">{t('list.columns.title')}</Base.Title>
              <Button size="sm" look="quiet" onClick={columns.reset}>
                {t('action.reset')}
              </Button>
            </div>
            <ul>
              {columns.layout.order.map((id) => (
                <ColumnRow key={id} id={id} columns={columns} />
              ))}
            </ul>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
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
      <IconButton label={t('list.columns.up', { name })} disabled={at === 0} onClick={() => setLayout(moveColumn(layout, id, -1))}>
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
