import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { useIsPhone } from '../lib/use-media.ts'
import type { ControlProps } from './field.tsx'
import { controlClass, Input } from './input.tsx'
import { popupClass } from './popup.tsx'

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
  const t = useT()
  const isPhone = useIsPhone()
  const chosen = groups.flatMap(({ items }) => items).find((option) => option.value === value) ?? null
  return (
    <Combobox.Root
      grid
      autoHighlight
      items={groups}
      value={chosen}
      isItemEqualToValue={(one: GridOption<T>, other: GridOption<T>) => one.value === other.value}
      onValueChange={(next) => (next === null ? undefined : onChange(next.value))}
    >
      <Combobox.Trigger {...control} className={cx(controlClass, 'flex h-9 items-center gap-2 px-2 text-left touch:h-11')}>
        {chosen?.mark}
        <span className="min-w-0 flex-1 truncate">
          <Combobox.Value />
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-50 outline-none">
          <Combobox.Popup aria-label={label} className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) min-w-64')}>
            <div className="border-b p-2">
              <Combobox.Input aria-label={t('list.search')} placeholder={t('list.search')} render={<Input />} />
            </div>
            <Combobox.Empty className="px-3 py-3 text-sm text-muted empty:p-0">{t('picker.none.closed')}</Combobox.Empty>
            <Combobox.List
              aria-label={label}
              className="max-h-[min(26rem,calc(var(--available-height)-4rem))] overflow-y-auto overscroll-contain px-2 pb-2 empty:p-0 thin-scroll"
            >
              {(group: GridGroup<T>) => (
                <Combobox.Group key={group.label} items={group.items}>
                  <Combobox.GroupLabel className="px-1 pt-3 pb-1 text-xs font-medium text-muted">{group.label}</Combobox.GroupLabel>
                  {inRows(group.items, isPhone ? columns.phone : columns.wide).map((row) => (
                    <Combobox.Row key={row[0]?.value} className="grid grid-cols-2 gap-1 sm:grid-cols-3">
                      {row.map((option) => (
                        <Cell key={option.value} option={option} />
                      ))}
                    </Combobox.Row>
                  ))}
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

function Cell<T>({ option }: { readonly option: GridOption<T> }) {
  return (
    <Combobox.Item
      value={option}
      className="flex min-h-9 min-w-0 items-center gap-2 rounded-sm border border-transparent px-1.5 py-1 outline-none data-highlighted:bg-hover data-selected:border-accent/40 data-selected:bg-accent-tint touch:min-h-11"
    >
      {option.mark}
      <span className="min-w-0 flex-1 truncate" title={option.label}>
        {option.label}
      </span>
      <Combobox.ItemIndicator className="text-accent">
        <Check aria-hidden className="size-4" />
      </Combobox.ItemIndicator>
    </Combobox.Item>
  )
}

function inRows<Item>(items: readonly Item[], width: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / width) }, (_, row) => items.slice(row * width, (row + 1) * width))
}
