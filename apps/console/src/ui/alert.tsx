import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/text.ts'

const kinds = {
  info: { icon: Info, look: 'border-blue/30 bg-blue-tint text-blue' },
  success: { icon: CircleCheck, look: 'border-green/30 bg-green-tint text-green' },
  warning: { icon: TriangleAlert, look: 'border-yellow/40 bg-yellow-tint text-yellow' },
  error: { icon: CircleAlert, look: 'border-red/30 bg-red-tint text-red' },
} as const

interface AlertProps {
  readonly kind: keyof typeof kinds
  readonly title?: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function Alert({ kind, title, children, action }: AlertProps) {
  const { icon: Icon, look } = kinds[kind]
  return (
    <div role={kind === 'error' ? 'alert' : 'status'} className={cx('flex items-start gap-2.5 rounded-md border px-3 py-2.5', look)}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        {title === undefined ? null : <p className="font-semibold">{title}</p>}
        {children === undefined ? null : <div className="break-words text-text">{children}</div>}
      </div>
      {action}
    </div>
  )
}
