import { Dialog as Base } from '@base-ui/react/dialog'
import { Check, Search } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useState } from 'react'
import { searchTextMax } from '../lib/filters.ts'
import type { Command } from '../lib/page-commands.ts'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { DataText } from './data-text.tsx'
import { scrimClass } from './dialog-parts.tsx'
import { KeyCaps } from './key-caps.tsx'

/** A command with the positions of the characters in its label that were searched for. */
export interface CommandMatch {
  readonly command: Command
  readonly at: readonly number[]
}

export interface MatchGroup {
  readonly title: string
  readonly matches: readonly CommandMatch[]
}

interface CommandDialogProps {
  readonly title: string
  readonly placeholder: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Called when the focus has returned to where it was. */
  readonly onClosed: () => void
  readonly text: string
  readonly onText: (text: string) => void
  readonly groups: readonly MatchGroup[]
  /** Below the commands: that nothing was found, or that a search is under way. */
  readonly status: string
  readonly onChoose: (command: Command, isNewTab: boolean) => void
  /** At the end of the dialog. */
  readonly foot: ReactNode
}

/** A search over commands, used by the keys alone or by the pointer alone. Opens and closes at once, without a transition. */
export function CommandDialog(props: CommandDialogProps) {
  const { title, isOpen, onClose, onClosed, status, foot } = props
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      onOpenChangeComplete={(open) => (open ? undefined : onClosed())}
    >
      <Base.Portal>
        <Base.Backdrop className={scrimClass} />
        <Base.Popup
          aria-label={title}
          data-palette
          className="fixed inset-x-2 top-2 z-50 mx-auto flex max-h-[calc(100dvh-1rem)] max-w-xl flex-col overflow-hidden rounded-md border border-line bg-surface shadow-float outline-none sm:top-[min(14vh,120px)] sm:max-h-[min(70dvh,520px)]"
        >
          <Commands {...props} />
          <p role="status" className="px-4 py-2.5 text-sm text-muted empty:hidden">
            {status}
          </p>
          {foot}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function Commands({ title, placeholder, text, onText, groups, onChoose }: CommandDialogProps) {
  const id = useId()
  const all = groups.flatMap(({ matches }) => matches.map(({ command }) => command))
  // By id, because results of searches arrive later and move what is below them.
  const [chosenId, setChosenId] = useState<string | null>(null)
  const active = all.find((command) => command.id === chosenId) ?? all[0]
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || active === undefined) return
    const steps = stepsOf[event.key]
    if (event.key === 'Enter') onChoose(active, event.ctrlKey || event.metaKey)
    else if (steps !== undefined) setChosenId(all.at(moved(all.indexOf(active), steps, all.length))?.id ?? null)
    else return
    event.preventDefault()
  }
  const optionId = (command: Command) => `${id}-${command.id}`
  return (
    <>
      <div className="flex items-center gap-2.5 border-b px-4">
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <input
          type="text"
          role="combobox"
          aria-label={title}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder={placeholder}
          value={text}
          maxLength={searchTextMax}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            setChosenId(null)
            onText(target.value)
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={title}
        className="min-h-0 overflow-y-auto overscroll-contain p-1.5 empty:p-0 thin-scroll"
      >
        {groups.map((group, index) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
          <div key={group.title} role="group" aria-labelledby={`${id}-${index}`} className="pb-1">
            <div id={`${id}-${index}`} className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
              {group.title}
            </div>
            {group.matches.map((match) => (
              <Option
                key={match.command.id}
                id={optionId(match.command)}
                match={match}
                isActive={match.command === active}
                onPoint={() => setChosenId(match.command.id)}
                onChoose={onChoose}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  )
}

const stepsOf: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

/** One step goes on at the other end; several steps stop there. */
function moved(at: number, steps: number, count: number): number {
  const next = at + steps
  return Math.abs(steps) === 1 ? (next + count) % count : Math.max(0, Math.min(count - 1, next))
}

interface OptionProps {
  readonly id: string
  readonly match: CommandMatch
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onChoose: (command: Command, isNewTab: boolean) => void
}

function Option({ id, match: { command, at }, isActive, onPoint, onChoose }: OptionProps) {
  const t = useT()
  const { icon: Icon, label, note, keys, isDangerous = false, isChosen = false } = command
  const choose = (event: MouseEvent) => onChoose(command, event.ctrlKey || event.metaKey || event.button === 1)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      ref={isActive ? showNode : undefined}
      onMouseMove={isActive ? undefined : onPoint}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={choose}
      onAuxClick={choose}
      className={cx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2.5 py-1 touch:min-h-11',
        isActive && 'bg-accent-tint',
        isDangerous ? 'text-red' : isActive && 'text-accent',
      )}
    >
      <Icon aria-hidden className={cx('size-4 shrink-0', !isDangerous && !isActive && 'text-muted')} />
      <bdi title={label} className="min-w-0 truncate">
        <Marked text={label} at={at} />
      </bdi>
      {isChosen ? (
        <>
          <Check aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="sr-only">{t('palette.chosen')}</span>
        </>
      ) : null}
      {note === undefined ? null : <DataText text={note} className="ml-auto max-w-1/2 shrink-0 text-sm text-muted" />}
      {keys === undefined ? null : (
        <span aria-hidden className="ml-auto shrink-0 max-sm:hidden touch:hidden">
          <KeyCaps keys={keys} />
        </span>
      )}
    </div>
  )
}

const showNode = (node: HTMLElement | null): void => node?.scrollIntoView({ block: 'nearest' })

/** The text with the found characters in bold. */
function Marked({ text, at }: { readonly text: string; readonly at: readonly number[] }) {
  if (at.length === 0) return text
  const bold = new Set(at)
  let place = 0
  return [...text].map((character) => {
    const here = place
    place += character.length
    return bold.has(here) ? (
      <b key={here} className="font-semibold">
        {character}
      </b>
    ) : (
      character
    )
  })
}
