import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronDown } from 'lucide-react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import type { ControlProps } from './field.tsx'
import { controlClass, Input } from './input.tsx'
import { popupClass } from './menu.tsx'

interface Option<T> {
  readonly value: T
  readonly label: string
}

interface SearchSelectProps<T extends string | number> {
  /** If it is in a `Field`. */
  readonly control?: ControlProps
  /** `sm` for tables. */
  readonly size?: 'md' | 'sm'
  /** The accessible name. */
  readonly label: string
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
}

const sizes = { md: 'h-8 gap-2 px-2.5', sm: 'h-6 max-w-32 gap-1 2xl:max-w-56 border-line px-1.5 font-mono text-xs' } as const

/** Most options shown at once; a search finds the others. */
const drawnMax = 200

/** Chooses one of many options, with a search. */
export function SearchSelect<T extends string | number>({ control, size = 'md', label, value, options, onChange }: SearchSelectProps<T>) {
  const t = useT()
  const chosen = options.find((option) => option.value === value) ?? null
  return (
    <Combobox.Root
      autoHighlight
      limit={drawnMax}
      items={options}
      value={chosen}
      isItemEqualToValue={(one: Option<T>, other: Option<T>) => one.value === other.value}
      onValueChange={(next) => (next === null ? undefined : onChange(next.value))}
    >
      <Combobox.Trigger
        {...control}
        {...(control === undefined && { 'aria-label': `${label}: ${chosen?.label ?? ''}` })}
        className={cx(controlClass, 'flex items-center justify-between text-left touch:h-11', sizes[size])}
      >
        <span className="truncate">
          <Combobox.Value />
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner align="start" sideOffset={4} collisionPadding={8} className="z-50 outline-none">
          <Combobox.Popup aria-label={label} className={cx(popupClass, 'w-(--anchor-width) max-w-(--available-width) min-w-64')}>
            <div className="border-b p-1">
              <Combobox.Input aria-label={t('list.search')} placeholder={t('list.search')} render={<Input />} />
            </div>
            <Combobox.Empty className="px-3 py-2 text-sm text-muted empty:p-0">{t('picker.none.closed')}</Combobox.Empty>
            <Combobox.List
              aria-label={label}
              className="max-h-[min(20rem,calc(var(--available-height)-3.5rem))] overflow-y-auto overscroll-contain p-1 empty:p-0 thin-scroll"
            >
              {(option: Option<T>) => <SearchOption key={option.value} option={option} />}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

function SearchOption<T extends string | number>({ option }: { readonly option: Option<T> }) {
  return (
    <Combobox.Item
      value={option}
      className="flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 outline-none data-highlighted:bg-hover touch:min-h-11"
    >
      <span aria-hidden className="flex size-4 items-center justify-center text-accent">
        <Combobox.ItemIndicator>
          <Check className="size-4" />
        </Combobox.ItemIndicator>
      </span>
      {option.label}
    </Combobox.Item>
  )
}
