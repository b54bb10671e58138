import type { ReactNode } from 'react'
import { cx } from '../lib/text.ts'

export type Tone =
  | 'green'
  | 'olive'
  | 'yellow'
  | 'red'
  | 'orange'
  | 'grey'
  | 'purple'
  | 'blue'
  | 'black'
  | 'teal'
  | 'pink'
  | 'violet'
  | 'brown'

const tones: Readonly<Record<Tone, string>> = {
  green: 'bg-green-tint text-green',
  olive: 'bg-olive-tint text-olive',
  yellow: 'bg-yellow-tint text-yellow',
  red: 'bg-red-tint text-red',
  orange: 'bg-orange-tint text-orange',
  grey: 'bg-grey-tint text-grey',
  purple: 'bg-purple-tint text-purple',
  blue: 'bg-blue-tint text-blue',
  black: 'bg-black-tint text-black',
  teal: 'bg-teal-tint text-teal',
  pink: 'bg-pink-tint text-pink',
  violet: 'bg-violet-tint text-violet',
  brown: 'bg-brown-tint text-brown',
}

/** Filled: the normal state. Ring: set manually. Half: set automatically. The shape shows it without colour. */
export type Shape = 'filled' | 'ring' | 'half'

interface BadgeProps {
  readonly tone: Tone
  readonly shape?: Shape
  readonly children: ReactNode
}

export function Badge({ tone, shape, children }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex h-5 max-w-full items-center gap-1.5 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap [word-break:keep-all] forced-colors:border',
        tones[tone],
      )}
    >
      {shape === undefined ? null : <Dot shape={shape} />}
      <span className="truncate">{children}</span>
    </span>
  )
}

/** A mark of one or two letters, before a name that says the same. */
export function LetterTag({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-xs font-semibold select-none forced-colors:border',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}

function Dot({ shape }: { readonly shape: Shape }) {
  return (
    <svg aria-hidden viewBox="0 0 8 8" className="size-2 shrink-0">
      <circle cx="4" cy="4" r="3.25" fill={shape === 'filled' ? 'currentColor' : 'none'} stroke="currentColor" strokeWidth="1.5" />
      {shape === 'half' ? <path d="M4 .75a3.25 3.25 0 0 1 0 6.5z" fill="currentColor" /> : null}
    </svg>
  )
}
