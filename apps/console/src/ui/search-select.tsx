import { Check } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { DataText } from './data-text.tsx'
import type { ControlProps } from './field.tsx'
import { matchOptions } from './match-options.ts'
import { indexAfterKey } from './roving-focus.ts'
import { markedProps, SearchField, SearchPopup } from './search-popup.tsx'

interface Option<T> {
  readonly value: T
  readonly label: string
}

interface SearchSelectProps<T extends string | number> {
  /** If it is in a `Field`. */
  readonly control?: ControlProps
  /** `sm` for tables, `bar` for toolbars. */
  readonly size?: 'md' | 'sm' | 'bar'
  /** The accessible name. */
  readonly label: string
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
}

const sizes = {
  md: 'h-8 gap-2 px-2.5',
  sm: 'h-6 max-w-32 gap-1 max-[1399px]:max-w-20 2xl:max-w-56 border-line px-1.5 font-mono text-xs',
  bar: 'h-7 w-auto! max-w-56 max-sm:min-w-0 max-sm:max-w-none max-sm:flex-1 max-sm:basis-28 gap-1.5 border-line px-2.5 text-sm font-medium touch:h-11',
} as const

/** Most options shown at once; a search finds the others. */
const renderedMax = 200

/** Chooses one of many options, with a search. */
export function SearchSelect<T extends string | number>({ control, size = 'md', label, value, options, onChange }: SearchSelectProps<T>) {
  const t = useT()
  const chosen = options.find((option) => option.value === value)
  return (
    <SearchPopup
      label={label}
      {...(control === undefined ? { buttonLabel: `${label}${t('word.colon')}${chosen?.label ?? ''}` } : { control })}
      className={cx('justify-between', sizes[size])}
      chosen={<DataText text={chosen?.label ?? ''} />}
    >
      {({ id, close }) => (
        <Search
          {...{ id, label, value, options }}
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

interface SearchProps<T extends string | number> extends Pick<SearchSelectProps<T>, 'label' | 'value' | 'options'> {
  readonly id: string
  readonly onChoose: (value: T) => void
  readonly onTab: () => void
}

/** The focus stays in the field; the arrow keys move a mark over the options that are found. */
function Search<T extends string | number>({ id, label, value, options, onChoose, onTab }: SearchProps<T>) {
  const [query, setQuery] = useState('')
  const matching = useMemo(() => matchOptions(options, query).slice(0, renderedMax), [options, query])
  const at = matching.findIndex((option) => option.value === value)
  const [marked, setMarked] = useState(Math.max(0, at))
  const option = matching[marked]
  return (
    <>
      <SearchField
        className="p-1"
        listId={`${id}-list`}
        markedId={option && `${id}-${marked}`}
        query={query}
        onQuery={(text) => {
          setQuery(text)
          setMarked(0)
        }}
        onEnter={option === undefined ? null : () => onChoose(option.value)}
        onArrow={(key) => {
          const next = indexAfterKey(key, marked, matching.length)
          if (next !== null) setMarked(next)
          return next !== null
        }}
        onTab={onTab}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className="max-h-[min(20rem,calc(var(--available-height)-3.5rem))] overflow-y-auto overscroll-contain p-1 empty:p-0 thin-scroll"
      >
        {matching.map((one, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={one.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={one.value === value}
            {...markedProps({ isMarked: index === marked, onMark: () => setMarked(index), onChoose: () => onChoose(one.value) })}
            className={cx('flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 touch:min-h-11', index === marked && 'bg-hover')}
          >
            <span aria-hidden className="flex size-4 shrink-0 items-center justify-center text-accent">
              {one.value === value ? <Check className="size-4" /> : null}
            </span>
            <bdi className="min-w-0 [overflow-wrap:anywhere]">{one.label}</bdi>
          </div>
        ))}
      </div>
    </>
  )
}
