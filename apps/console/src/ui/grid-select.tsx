import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { cx } from '../lib/text.ts'
import { useIsPhone } from '../lib/use-media.ts'
import { DataText } from './data-text.tsx'
import type { ControlProps } from './field.tsx'
import { cellAfterKey } from './roving-focus.ts'
import { isFound, markedProps, SearchField, SearchPopup } from './search-popup.tsx'

export interface GridOption<T> {
  readonly value: T
  readonly label: string
  /** Before the label; it has no text of its own for screen readers. */
  readonly mark: ReactNode
}

export interface GridGroup<T> {
  readonly label: string
  readonly items: readonly GridOption<T>[]
}

interface GridSelectProps<T extends string | number> {
  readonly control: ControlProps
  /** The accessible name of the search and of the grid. */
  readonly label: string
  readonly value: T
  readonly groups: readonly GridGroup<T>[]
  readonly onChange: (value: T) => void
}

/** Columns of the grid; the arrow keys move by rows and columns. */
const columns = { wide: 3, phone: 2 } as const

/** Chooses one of many options that are shown in groups side by side, with a search. */
export function GridSelect<T extends string | number>({ control, label, value, groups, onChange }: GridSelectProps<T>) {
  const chosen = groups.flatMap(({ items }) => items).find((option) => option.value === value)
  return (
    <SearchPopup
      control={control}
      label={label}
      className="h-9 gap-2 px-2"
      chosen={
        <>
          {chosen?.mark}
          <DataText text={chosen?.label ?? ''} className="min-w-0 flex-1" />
        </>
      }
    >
      {({ id, close }) => (
        <Grid
          {...{ id, label, value, groups }}
          onChoose={(next) => {
            close()
            if (next !== value) onChange(next)
          }}
          onTab={close}
        />
      )}
    </SearchPopup>
  )
}

interface GridProps<T extends string | number> extends Pick<GridSelectProps<T>, 'label' | 'value' | 'groups'> {
  readonly id: string
  readonly onChoose: (value: T) => void
  readonly onTab: () => void
}

/** The focus stays in the field; the arrow keys move a mark over the cells that are found. */
function Grid<T extends string | number>({ id, label, value, groups, onChoose, onTab }: GridProps<T>) {
  const [query, setQuery] = useState('')
  const width = useIsPhone() ? columns.phone : columns.wide
  const matchingGroups = groups.flatMap(({ label: name, items }) => {
    const matching = items.filter((option) => isFound(option.label, query))
    return matching.length === 0 ? [] : [{ name, rows: inRows(matching, width) }]
  })
  const rows = matchingGroups.flatMap((group) => group.rows)
  const [marked, setMarked] = useState<T | null>(value)
  const cells = rows.flat()
  const option = cells.find((cell) => cell.value === marked) ?? cells[0]
  const idOf = (cell: GridOption<T>) => `${id}-${cell.value}`
  return (
    <>
      <SearchField
        className="p-2"
        listId={`${id}-grid`}
        markedId={option && idOf(option)}
        query={query}
        onQuery={(text) => {
          setQuery(text)
          setMarked(null)
        }}
        onEnter={option === undefined ? null : () => onChoose(option.value)}
        onArrow={(key) => {
          const index = option === undefined ? -1 : cells.indexOf(option)
          const next =
            cells[
              cellAfterKey(
                key,
                index,
                rows.map((row) => row.length),
              ) ?? -1
            ]
          if (next !== undefined) setMarked(next.value)
          return next !== undefined
        }}
        onTab={onTab}
      />
      <GridGroups groups={matchingGroups} id={`${id}-grid`} label={label}>
        {(cell) => (
          // biome-ignore lint/a11y/useSemanticElements: a table cannot be laid out like this
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={cell.value}
            id={idOf(cell)}
            role="gridcell"
            aria-selected={cell.value === value}
            {...markedProps({ isMarked: cell === option, onMark: () => setMarked(cell.value), onChoose: () => onChoose(cell.value) })}
            className={cx(
              'flex min-h-9 min-w-0 cursor-pointer items-center gap-2 rounded-sm border px-1.5 py-1 touch:min-h-11',
              cell.value === value ? 'border-accent/40 bg-accent-tint' : 'border-transparent',
              cell === option && 'bg-hover',
            )}
          >
            {cell.mark}
            <DataText text={cell.label} className="min-w-0 flex-1" />
            {cell.value === value ? <Check aria-hidden className="size-4 text-accent" /> : null}
          </div>
        )}
      </GridGroups>
    </>
  )
}

interface GridGroupsProps<T> {
  readonly id: string
  readonly label: string
  readonly groups: readonly { readonly name: string; readonly rows: readonly (readonly GridOption<T>[])[] }[]
  readonly children: (cell: GridOption<T>) => ReactNode
}

function GridGroups<T extends string | number>({ id, label, groups, children }: GridGroupsProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be laid out like this
    <div
      id={id}
      role="grid"
      aria-label={label}
      className="max-h-[min(26rem,calc(var(--available-height)-4rem))] overflow-y-auto overscroll-contain px-2 pb-2 empty:p-0 thin-scroll"
    >
      {groups.map(({ name, rows }) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div key={name} role="rowgroup" aria-label={name}>
          <div aria-hidden className="px-1 pt-3 pb-1 text-xs font-medium text-muted">
            {name}
          </div>
          {rows.map((row) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div key={row[0]?.value} role="row" className="grid grid-cols-2 gap-1 sm:grid-cols-3">
              {row.map(children)}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function inRows<Item>(items: readonly Item[], width: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / width) }, (_, row) => items.slice(row * width, (row + 1) * width))
}
