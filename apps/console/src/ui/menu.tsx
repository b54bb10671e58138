import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import {
  type ComponentProps,
  cloneElement,
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  use,
  useId,
  useState,
} from 'react'
import { cx } from '../lib/text.ts'
import type { PagePath } from './page-path.ts'
import type { Align } from './placing.ts'
import { LayerPopup, popupClass } from './popup.tsx'
import { itemsOf, useRovingFocus } from './roving-focus.ts'
import { useHover } from './use-hover.ts'

const itemClass =
  'flex min-h-8 w-full items-center gap-2 rounded-sm px-2 py-1 text-left text-base text-text outline-none focus:bg-hover aria-disabled:cursor-default aria-disabled:text-faint touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'

/** Attributes and handlers that a trigger passes on to its button. */
export type Trigger = ReactElement<ComponentProps<'button'>>

interface MenuProps {
  readonly trigger: Trigger
  readonly children: ReactNode
  readonly align?: Align
  /** For menus of the frame. Those of rows open on a click only, so that moving the pointer over a table opens nothing. */
  readonly opensOnHover?: boolean
}

/** What has the focus first. The pointer that opened a menu by hovering leaves the focus where it is. */
type FirstFocus = 'first' | 'last' | 'menu' | 'none'

interface OpenMenu {
  readonly anchor: HTMLElement
  readonly focus: FirstFocus
}

/** Closes the menu around an item. */
const CloseMenu = createContext<() => void>(() => undefined)

export function Menu({ trigger, children, align = 'end', opensOnHover = false }: MenuProps) {
  const id = useId()
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const close = () => setMenu(null)
  const hover = useHover({
    open: (anchor) => setMenu((current) => current ?? { anchor, focus: 'none' }),
    // A menu that was opened by a press stays open.
    close: () => setMenu((current) => (current?.focus === 'none' ? null : current)),
  })
  const show = (anchor: HTMLElement, focus: FirstFocus) => {
    hover.stop()
    setMenu({ anchor, focus })
    // It may be open already, under the pointer.
    setFirstFocus(document.getElementById(id), focus)
  }
  return (
    <>
      {cloneElement(trigger, {
        id: trigger.props.id ?? `${id}-button`,
        'aria-haspopup': 'menu',
        'aria-expanded': menu !== null,
        'aria-controls': menu === null ? undefined : id,
        ...(menu !== null && { 'data-popup-open': '' }),
        ...(opensOnHover && hover.anchorProps),
        onClick: ({ currentTarget, detail }: MouseEvent<HTMLElement>) => {
          // A press keeps a menu open that had opened under the pointer.
          if (menu === null || menu.focus === 'none') show(currentTarget, detail === 0 ? 'first' : 'menu')
          else close()
        },
        onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
          const focus = ({ ArrowDown: 'first', ArrowUp: 'last' } as const)[event.key]
          if (focus === undefined) return
          event.preventDefault()
          show(event.currentTarget, focus)
        },
      })}
      {menu === null ? null : (
        <LayerPopup
          anchor={menu.anchor}
          align={align}
          onClose={close}
          onOpen={(popup) => setFirstFocus(popup.querySelector<HTMLElement>('[role=menu]'), menu.focus)}
          {...(opensOnHover && hover.popupProps)}
        >
          <CloseMenu value={close}>
            <MenuBox id={id} labelledBy={trigger.props.id ?? `${id}-button`} onLeave={close}>
              {children}
            </MenuBox>
          </CloseMenu>
        </LayerPopup>
      )}
    </>
  )
}

function setFirstFocus(menu: HTMLElement | null, focus: FirstFocus): void {
  if (focus === 'none') return
  const items = itemsOf(menu)
  const target = { first: items.at(0), last: items.at(-1), menu: undefined }[focus] ?? menu
  target?.focus({ preventScroll: true })
}

interface MenuBoxProps {
  readonly id: string
  readonly labelledBy: string
  readonly onLeave: () => void
  readonly children: ReactNode
}

function MenuBox({ id, labelledBy, onLeave, children }: MenuBoxProps) {
  const onKeyDown = useRovingFocus(onLeave)
  return (
    <div
      id={id}
      role="menu"
      aria-labelledby={labelledBy}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={cx(popupClass, 'max-h-(--available-height) min-w-44 overflow-y-auto p-1')}
    >
      {children}
    </div>
  )
}

/** The item under the pointer has the focus, as the one that the arrow keys chose. */
const followPointer = {
  onPointerMove: ({ currentTarget, pointerType }: PointerEvent<HTMLElement>) => {
    if (pointerType === 'mouse' && document.activeElement !== currentTarget) currentTarget.focus({ preventScroll: true })
  },
  onPointerLeave: ({ currentTarget, pointerType }: PointerEvent<HTMLElement>) => {
    if (pointerType === 'mouse') currentTarget.closest<HTMLElement>('[role=menu]')?.focus({ preventScroll: true })
  },
}

interface MenuItemProps {
  readonly onClick: () => void
  readonly icon?: ReactNode
  readonly children: ReactNode
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

export function MenuItem({ onClick, icon, children, isDangerous = false, isDisabled = false }: MenuItemProps) {
  const close = use(CloseMenu)
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={isDisabled || undefined}
      onClick={() => {
        if (isDisabled) return
        close()
        onClick()
      }}
      {...followPointer}
      className={cx(itemClass, isDangerous && 'text-red [&_svg]:text-red')}
    >
      {icon}
      {children}
    </button>
  )
}

interface MenuLinkProps {
  readonly to: PagePath
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | number>>
  readonly icon?: ReactNode
  readonly children: ReactNode
}

export function MenuLink({ to, params = {}, search = {}, icon, children }: MenuLinkProps) {
  const close = use(CloseMenu)
  return (
    <Link
      to={to}
      params={params}
      search={search}
      role="menuitem"
      tabIndex={-1}
      onClick={close}
      onKeyDown={(event: KeyboardEvent<HTMLElement>) => {
        if (event.key !== ' ') return
        event.preventDefault()
        event.currentTarget.click()
      }}
      {...followPointer}
      className={itemClass}
    >
      {icon}
      {children}
    </Link>
  )
}

interface MenuChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
}

/** A few values, one of which is selected. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  const close = use(CloseMenu)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of menu items
    <div role="group" aria-label={label}>
      <div aria-hidden className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
      </div>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          tabIndex={-1}
          onClick={() => {
            close()
            onChange(option.value)
          }}
          {...followPointer}
          className={itemClass}
        >
          <span className="flex size-4 items-center justify-center">{option.value === value ? <Check aria-hidden /> : null}</span>
          {option.label}
        </button>
      ))}
    </div>
  )
}

interface MenuGroupProps {
  readonly label: string | null
  readonly children: ReactNode
}

/** A group of items, with an optional name. */
export function MenuGroup({ label, children }: MenuGroupProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of menu items
    <div role="group" aria-labelledby={label === null ? undefined : id}>
      {label === null ? null : (
        <div id={id} role="presentation" className="px-2 pt-1.5 pb-1 text-xs font-medium text-muted">
          {label}
        </div>
      )}
      {children}
    </div>
  )
}

export function MenuSeparator() {
  return <hr className="my-1 h-px border-0 bg-line" />
}

export function MenuText({ children }: { readonly children: ReactNode }) {
  return <div className="px-2 py-1.5 text-sm text-muted">{children}</div>
}
