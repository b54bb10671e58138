import { notifyManager } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { memo, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button, buttonClass, IconButton } from '../button.tsx'
import { Sheet } from '../sheet.tsx'
import { Checkbox } from '../toggle.tsx'
import { actionGroups } from './action-groups.ts'
import type { ActAction, RowAction } from './actions.ts'
import type { Card } from './column.ts'
import { isRowClick } from './is-row-click.ts'
import { isSameRow, type RowProps } from './row-props.ts'

interface RowCardsProps<Row> {
  readonly rows: readonly RowProps<Row>[]
  readonly label: string
  readonly card: Card<Row>
}

/** The list on a phone: name and state, the main facts, one button, and a sheet with the other actions. */
export function RowCards<Row extends { readonly id: number }>({ rows, label, card }: RowCardsProps<Row>) {
  return (
    <ul aria-label={label} className="space-y-2">
      {rows.map((row) => (
        <RowCard key={row.row.id} {...row} card={card} />
      ))}
    </ul>
  )
}

interface RowCardProps<Row> extends RowProps<Row> {
  readonly card: Card<Row>
}

// Holds: `memo` loses the type parameter only.
const RowCard = memo(PlainRowCard, isSameRow) as typeof PlainRowCard

function PlainRowCard<Row extends { readonly id: number }>({ row, name, isSelected, actions, card, ...on }: RowCardProps<Row>) {
  const t = useT()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a button of the card opens the same by keyboard
    <li
      data-row={row.id}
      tabIndex={-1}
      onClick={(event) => (isRowClick(event) ? on.onOpen?.(row) : undefined)}
      // A browser lays out a card when it comes into view: a hundred of them at once would be a long task on a phone.
      className={cx(
        'rounded-md border p-3 [contain-intrinsic-size:auto_11rem] [content-visibility:auto]',
        isSelected === true ? 'border-accent/40 bg-accent-tint' : 'bg-surface',
      )}
    >
      <div className="flex items-start justify-between gap-3">
        <span className="flex min-w-0 items-start gap-3">
          {isSelected === null ? null : (
            <span className="flex h-5 items-center">
              <Checkbox label={t('list.select.row', { name })} isChecked={isSelected} onChange={() => on.onSelect(row, false)} />
            </span>
          )}
          <h2 className="min-w-0 font-semibold break-words">{(card.heading ?? card.title)(row)}</h2>
        </span>
        <span className="shrink-0">{card.badge?.(row)}</span>
      </div>
      <dl className="mt-2 grid grid-cols-2 gap-x-3 gap-y-2">
        {card.facts(row).map((fact) => (
          <div key={fact.label} className="min-w-0 last:odd:col-span-2">
            <dt className="text-xs text-muted">{fact.label}</dt>
            <dd className="text-sm break-words tabular">{fact.value}</dd>
          </div>
        ))}
      </dl>
      <CardActions name={name} actions={actions ?? []} onRun={(action) => on.onRun(row, action)} />
    </li>
  )
}

interface CardActionsProps {
  readonly name: string
  readonly actions: readonly RowAction[]
  readonly onRun: (action: ActAction) => void
}

function CardActions({ name, actions, onRun }: CardActionsProps) {
  const t = useT()
  const [isOpen, setOpen] = useState(false)
  const main = actions.find(({ isInline }) => isInline)
  const others = actions.filter((action) => action !== main)
  if (actions.length === 0) return null
  return (
    <div className="mt-3 flex gap-2">
      {main === undefined ? null : <CardAction name={name} action={main} onRun={onRun} />}
      {others.length === 0 ? null : (
        <IconButton label={t('action.more.of', { name })} onClick={() => setOpen(true)} className="border border-line">
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
      )}
      <Sheet title={name} side="bottom" isOpen={isOpen} onClose={() => setOpen(false)}>
        {actionGroups(others).map(({ name: group, actions: members }) => (
          <section key={members[0]?.id} className="border-t py-1 first-of-type:border-t-0">
            {group === null ? null : <h3 className="px-2 pt-2 text-xs font-medium text-muted">{group}</h3>}
            {members.map((action) => (
              <SheetAction key={action.id} action={action} onRun={onRun} onDone={() => setOpen(false)} />
            ))}
          </section>
        ))}
      </Sheet>
    </div>
  )
}

interface CardActionProps {
  readonly action: RowAction
  readonly onRun: (action: ActAction) => void
}

function CardAction({ name, action, onRun }: CardActionProps & { readonly name: string }) {
  const t = useT()
  const { icon: Icon, label, isBusy = false, isDisabled = false } = action
  const fullName = t('action.of', { action: label, name })
  const content = (
    <>
      <Icon aria-hidden className="size-4" />
      {label}
    </>
  )
  if ('link' in action) {
    return (
      <Link {...action.link} aria-label={fullName} className={buttonClass({}, 'flex-1')}>
        {content}
      </Link>
    )
  }
  return (
    <Button aria-label={fullName} isBusy={isBusy} disabled={isDisabled} onClick={() => onRun(action)} className="flex-1">
      {content}
    </Button>
  )
}

const sheetItem = 'flex min-h-11 w-full items-center gap-3 rounded-sm px-2 text-left hover:bg-hover disabled:text-faint'

function SheetAction({ action, onRun, onDone }: CardActionProps & { readonly onDone: () => void }) {
  const { icon: Icon, label, isBusy = false, isDisabled = false, isDangerous = false } = action
  const content = (
    <>
      <Icon aria-hidden className={cx('size-4', !isDangerous && 'text-muted')} />
      {label}
    </>
  )
  if ('link' in action) {
    return (
      <Link {...action.link} onClick={onDone} className={sheetItem}>
        {content}
      </Link>
    )
  }
  const run = () => {
    if (action.confirm !== undefined) {
      // The question takes the place of the sheet, and the focus.
      onDone()
      onRun(action)
      return
    }
    // What the action changes in the data is rendered together with the closing, not some frames later.
    notifyManager.batch(() => {
      onRun(action)
      notifyManager.schedule(onDone)
    })
  }
  return (
    <button type="button" disabled={isDisabled || isBusy} onClick={run} className={cx(sheetItem, isDangerous && 'text-red')}>
      {content}
    </button>
  )
}
