import { Link } from '@tanstack/react-router'
import { Loader2 } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../lib/text.ts'
import type { PagePath } from './page-path.ts'
import { PlainButton } from './plain-button.tsx'
import { Tooltip } from './tooltip.tsx'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'md' | 'sm'

const looks: Readonly<Record<Look, string>> = {
  primary: 'border-accent bg-accent text-on-accent hover:bg-accent-strong hover:border-accent-strong',
  secondary: 'border-line bg-surface text-text hover:bg-hover hover:border-control',
  quiet: 'border-transparent bg-transparent text-muted hover:bg-hover hover:text-text',
  danger: 'border-red/40 bg-surface text-red hover:bg-red-tint hover:border-red',
}

const sizes: Readonly<Record<Size, string>> = {
  md: 'min-h-8 px-3 py-1 text-base touch:min-h-11 touch:px-4',
  sm: 'min-h-7 px-2.5 py-0.5 text-sm touch:min-h-11 touch:px-3',
}

const shape =
  'inline-flex h-fit max-w-full shrink-0 items-center justify-center gap-1.5 rounded-button border font-medium select-none sm:whitespace-nowrap transition-colors disabled:opacity-50 data-disabled:opacity-50 data-disabled:cursor-not-allowed'

interface Appearance {
  readonly look?: Look
  readonly size?: Size
}

export function buttonClass({ look = 'secondary', size = 'md' }: Appearance, extra?: string): string {
  return cx(shape, looks[look], sizes[size], extra)
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'>, Appearance {
  /** The button keeps its focus and name, and ignores clicks. */
  readonly isBusy?: boolean
  readonly className?: string
}

export function Button({ look, size, isBusy = false, className, children, ...rest }: ButtonProps) {
  return (
    <PlainButton {...rest} isBusy={isBusy} className={buttonClass({ ...(look && { look }), ...(size && { size }) }, className)}>
      {isBusy ? <Loader2 aria-hidden className="size-4 animate-spin" /> : null}
      {children}
    </PlainButton>
  )
}

interface ButtonLinkProps extends Appearance {
  readonly to: PagePath
  readonly children: ReactNode
  readonly className?: string
}

export function ButtonLink({ to, look, size, className, children }: ButtonLinkProps) {
  return (
    <Link to={to} className={buttonClass({ ...(look && { look }), ...(size && { size }) }, className)}>
      {children}
    </Link>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'aria-label'> {
  /** The accessible name and the tooltip. It includes the name of the row. */
  readonly label: string
  readonly isBusy?: boolean
  readonly className?: string
  readonly tooltipSide?: 'top' | 'bottom'
}

export function IconButton({ label, isBusy = false, className, tooltipSide, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} side={tooltipSide}>
      <PlainButton {...rest} isBusy={isBusy} aria-label={label} className={cx(iconButtonClass, className)}>
        {isBusy ? <Loader2 aria-hidden className="size-4 animate-spin" /> : children}
      </PlainButton>
    </Tooltip>
  )
}

export const iconButtonClass =
  'inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-muted transition-colors hover:bg-hover hover:text-text data-disabled:opacity-50 data-popup-open:bg-hover data-popup-open:text-text touch:size-11'
