import { Menu as Base } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from '../lib/text.ts'
import { hoverMs } from './delays.ts'
import type { PagePath } from './page-path.ts'

const itemClass =
  'flex min-h-8 w-full items-center gap-2 rounded-sm px-2 py-1 text-left text-base text-text outline-none data-highlighted:bg-hover data-disabled:text-faint touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'

export const popupClass =
  'rounded-md border border-line bg-surface shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0'

interface MenuProps {
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  /** For menus of the frame. Those of rows open on a click only, so that moving the pointer over a table opens nothing. */
  readonly opensOnHover?: boolean
}

export function Menu({ trigger, children, align = 'end', opensOnHover = false }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} openOnHover={opensOnHover} delay={hoverMs.open} closeDelay={hoverMs.close} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-50 outline-none">
          <Base.Popup className={cx(popupClass, 'max-h-(--available-height) min-w-44 overflow-y-auto p-1')}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface MenuItemProps {
  readonly onClick: () => void
  readonly icon?: ReactNode
  readonly children: ReactNode
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

export function MenuItem({ onClick, icon, children, isDangerous = false, isDisabled = false }: MenuItemProps) {
  return (
    <Base.Item onClick={onClick} disabled={isDisabled} className={cx(itemClass, isDangerous && 'text-red [&_svg]:text-red')}>
      {icon}
      {children}
    </Base.Item>
  )
}

interface MenuLinkProps {
  readonly to: PagePath
  readonly params?: Readonly<Record<string, string>>
  readonly icon?: ReactNode
  readonly children: ReactNode
}

export function MenuLink({ to, params = {}, icon, children }: MenuLinkProps) {
  return (
    <Base.LinkItem closeOnClick render={<Link to={to} params={params} />} className={itemClass}>
      {icon}
      {children}
    </Base.LinkItem>
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
  return (
    <Base.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <div aria-hidden className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
      </div>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} closeOnClick className={itemClass}>
          <span className="flex size-4 items-center justify-center">
            <Base.RadioItemIndicator>
              <Check aria-hidden />
            </Base.RadioItemIndicator>
          </span>
          {option.label}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}

interface MenuGroupProps {
  readonly label: string | null
  readonly children: ReactNode
}

/** A group of items, with an optional name. */
export function MenuGroup({ label, children }: MenuGroupProps) {
  return (
    <Base.Group>
      {label === null ? null : <Base.GroupLabel className="px-2 pt-1.5 pb-1 text-xs font-medium text-muted">{label}</Base.GroupLabel>}
      {children}
    </Base.Group>
  )
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />
}

export function MenuText({ children }: { readonly children: ReactNode }) {
  return <div className="px-2 py-1.5 text-sm text-muted">{children}</div>
}
