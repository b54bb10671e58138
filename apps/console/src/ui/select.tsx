import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type Ref, useId, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { controlLook } from './input.tsx'
import { LayerPopup, popupClass } from './popup.tsx'
import { indexOfWord, useRovingFocus, useTypedWord } from './roving-focus.ts'

interface SelectProps<T extends string | number> {
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
  /** Of the button, so that a form can give it the focus. */
  readonly ref?: Ref<HTMLButtonElement>
  readonly id?: string
  /** The name if there is no separate label; it is then also shown inside, before the value. */
  readonly label?: string
  readonly size?: 'md' | 'sm'
  /** Whether the label inside is left out on phones, where the value says enough. */
  readonly hidesLabelOnPhones?: boolean
  readonly 'aria-describedby'?: string | undefined
  readonly 'aria-invalid'?: true | undefined
}

export function Select<T extends string | number>(props: SelectProps<T>) {
  const { value, options, onChange, id, label, size = 'md', hidesLabelOnPhones = false, ...aria } = props
  const t = useT()
  const ownId = useId()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const wordOf = useTypedWord()
  const at = options.findIndex((option) => option.value === value)
  const chosen = options[at]
  const close = () => setAnchor(null)
  const change = (next: T | undefined) => (next === undefined || next === value ? undefined : onChange(next))
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setAnchor(event.currentTarget)
      return
    }
    const word = wordOf(event)
    if (word === null) return
    // A space inside of a word must not open the list. Letters choose a value also while it is closed.
    event.preventDefault()
    const index = indexOfWord(
      word,
      options.map((option) => option.label),
      at,
    )
    if (index !== null) change(options[index]?.value)
  }
  return (
    <>
      <button
        {...aria}
        type="button"
        role="combobox"
        id={id ?? `${ownId}-button`}
        aria-label={label === undefined ? undefined : `${label}${t('word.colon')}${chosen?.label ?? ''}`}
        aria-haspopup="listbox"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : ownId}
        onClick={({ currentTarget }) => setAnchor(anchor === null ? currentTarget : null)}
        onKeyDown={onKeyDown}
        className={cx(
          controlLook,
          'flex items-center justify-between gap-2 text-left touch:h-11',
          size === 'sm' ? 'h-7 border-line px-2 text-sm' : 'h-8 w-full px-2.5',
        )}
      >
        <span className="truncate" title={chosen?.label}>
          {label === undefined || size !== 'sm' ? null : (
            <span className={cx('text-muted', hidesLabelOnPhones && 'max-sm:hidden')}>
              {label}
              {t('word.colon')}
            </span>
          )}
          <bdi>{chosen?.label}</bdi>
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </button>
      {anchor === null ? null : (
        <LayerPopup anchor={anchor} onClose={close} onOpen={focusChosen}>
          <Options
            {...{ id: ownId, labelledBy: id ?? `${ownId}-button`, value, options }}
            onChoose={(next) => {
              close()
              change(next)
            }}
            onLeave={close}
          />
        </LayerPopup>
      )}
    </>
  )
}

function focusChosen(popup: HTMLElement): void {
  const option = popup.querySelector<HTMLElement>('[aria-selected=true]') ?? popup.querySelector<HTMLElement>('[role=option]')
  option?.focus()
}

interface OptionsProps<T extends string | number> extends Pick<SelectProps<T>, 'value' | 'options'> {
  readonly id: string
  readonly labelledBy: string
  readonly onChoose: (value: T) => void
  readonly onLeave: () => void
}

function Options<T extends string | number>({ id, labelledBy, value, options, onChoose, onLeave }: OptionsProps<T>) {
  const onKeyDown = useRovingFocus(onLeave)
  return (
    <div
      id={id}
      role="listbox"
      aria-labelledby={labelledBy}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={cx(popupClass, 'max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto p-1')}
    >
      {options.map((option) => (
        <OptionRow key={option.value} label={option.label} isChosen={option.value === value} onChoose={() => onChoose(option.value)} />
      ))}
    </div>
  )
}

interface OptionRowProps {
  readonly label: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function OptionRow({ label, isChosen, onChoose }: OptionRowProps) {
  return (
    <div
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onClick={onChoose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onChoose()
      }}
      onPointerMove={({ currentTarget, pointerType }) =>
        pointerType === 'mouse' ? currentTarget.focus({ preventScroll: true }) : undefined
      }
      className="flex min-h-8 items-center gap-2 rounded-sm py-1 pr-3 pl-2 outline-none focus:bg-hover touch:min-h-11"
    >
      <span className="flex size-4 items-center justify-center text-accent">
        {isChosen ? <Check aria-hidden className="size-4" /> : null}
      </span>
      <span>{label}</span>
    </div>
  )
}
