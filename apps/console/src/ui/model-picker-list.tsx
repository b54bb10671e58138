import { Check, Plus } from 'lucide-react'
import { type Ref, useImperativeHandle } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { useMedia } from '../lib/use-media.ts'
import type { PickerOptions } from './model-picker-options.ts'
import { type RowWindow, useWindow } from './use-window.ts'

const rowPx = { pointer: 32, touch: 44 } as const

export type ListHandle = Pick<RowWindow, 'reveal'>

interface PickerListProps {
  readonly id: string
  readonly label: string
  readonly options: PickerOptions
  /** The chosen names. */
  readonly value: readonly string[]
  /** The index of the marked row; -1 = none. */
  readonly marked: number
  readonly onMark: (index: number) => void
  readonly onChoose: (name: string) => void
  readonly handle: Ref<ListHandle | null>
}

/** The offered names; only visible ones are in the document. */
export function PickerList({ id, label, options, value, marked, onMark, onChoose, handle }: PickerListProps) {
  const isTouch = useMedia('(pointer: coarse)')
  const { attach, heightPx, indexes, styleOf, reveal } = useWindow({
    count: options.names.length,
    rowPx: isTouch ? rowPx.touch : rowPx.pointer,
    padPx: 4,
  })
  useImperativeHandle(handle, () => ({ reveal }))
  const chosen = new Set(value)
  return (
    <div
      id={id}
      role="listbox"
      aria-label={label}
      aria-multiselectable
      ref={attach}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      className="max-h-[min(20rem,var(--available-height))] overflow-auto overscroll-contain thin-scroll"
      style={{ height: options.names.length === 0 ? 0 : heightPx }}
    >
      <div role="presentation" className="relative w-full" style={{ height: heightPx }}>
        {indexes.map((index) => {
          const name = options.names[index]
          return name === undefined ? null : (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={name}
              id={`${id}-${index}`}
              role="option"
              aria-selected={chosen.has(name)}
              aria-setsize={options.names.length}
              aria-posinset={index + 1}
              onPointerMove={index === marked ? undefined : () => onMark(index)}
              onClick={() => onChoose(name)}
              className={cx(optionClass, index === marked && 'bg-hover')}
              style={styleOf(index)}
            >
              <OptionText name={name} isAdded={name === options.added} isChosen={chosen.has(name)} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

const optionClass = 'absolute inset-x-1 top-0 flex cursor-default items-center gap-2 rounded-sm px-2 font-mono text-sm outline-none'

interface OptionTextProps {
  readonly name: string
  readonly isAdded: boolean
  readonly isChosen: boolean
}

function OptionText({ name, isAdded, isChosen }: OptionTextProps) {
  const t = useT()
  return (
    <>
      <span aria-hidden className="flex size-4 shrink-0 items-center justify-center text-accent">
        {isAdded ? <Plus className="size-4" /> : isChosen ? <Check className="size-4" /> : null}
      </span>
      <span className={cx('truncate', isAdded && 'font-sans')} title={name}>
        {isAdded ? t('picker.add', { name }) : name}
      </span>
    </>
  )
}
