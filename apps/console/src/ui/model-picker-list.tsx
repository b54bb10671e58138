import { Combobox } from '@base-ui/react/combobox'
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
  readonly label: string
  readonly options: PickerOptions
  readonly handle: Ref<ListHandle | null>
}

/** The offered names; only visible ones are in the document. */
export function PickerList({ label, options, handle }: PickerListProps) {
  const isTouch = useMedia('(pointer: coarse)')
  const { attach, heightPx, indexes, styleOf, reveal } = useWindow({
    count: options.names.length,
    rowPx: isTouch ? rowPx.touch : rowPx.pointer,
    padPx: 4,
  })
  useImperativeHandle(handle, () => ({ reveal }))
  return (
    <Combobox.List
      aria-label={label}
      ref={attach}
      className="max-h-[min(20rem,var(--available-height))] overflow-auto overscroll-contain thin-scroll"
      style={{ height: options.names.length === 0 ? 0 : heightPx }}
    >
      <div role="presentation" className="relative w-full" style={{ height: heightPx }}>
        {indexes.map((index) => {
          const name = options.names[index]
          return name === undefined ? null : (
            <Combobox.Item
              key={name}
              index={index}
              value={name}
              aria-setsize={options.names.length}
              aria-posinset={index + 1}
              className={optionClass}
              style={styleOf(index)}
            >
              <OptionText name={name} isAdded={name === options.added} />
            </Combobox.Item>
          )
        })}
      </div>
    </Combobox.List>
  )
}

const optionClass =
  'absolute inset-x-1 top-0 flex cursor-default items-center gap-2 rounded-sm px-2 font-mono text-sm outline-none data-highlighted:bg-hover'

function OptionText({ name, isAdded }: { readonly name: string; readonly isAdded: boolean }) {
  const t = useT()
  return (
    <>
      <span aria-hidden className="flex size-4 shrink-0 items-center justify-center text-accent">
        {isAdded ? (
          <Plus className="size-4" />
        ) : (
          <Combobox.ItemIndicator>
            <Check className="size-4" />
          </Combobox.ItemIndicator>
        )}
      </span>
      <span className={cx('truncate', isAdded && 'font-sans')} title={name}>
        {isAdded ? t('picker.add', { name }) : name}
      </span>
    </>
  )
}
