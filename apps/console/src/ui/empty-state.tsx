import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon?: ReactNode
  readonly title: string
  readonly text?: ReactNode
  readonly action?: ReactNode
}

/** Replaces an empty list: its purpose, or why it is empty, and the next step. */
export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {icon === undefined ? null : (
        <div aria-hidden className="mb-3 flex size-10 items-center justify-center rounded-md bg-sunken text-muted [&_svg]:size-5">
          {icon}
        </div>
      )}
      <p className="text-lg font-semibold">{title}</p>
      {text === undefined ? null : <p className="mt-1 max-w-md text-balance text-muted">{text}</p>}
      {action === undefined ? null : <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
