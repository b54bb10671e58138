import { type ReactNode, useId } from 'react'
import { useT } from '../lib/t.ts'

interface FormSectionProps {
  readonly title?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** Fields that belong together. */
export function FormSection({ title, action, children }: FormSectionProps) {
  const id = useId()
  return (
    <section {...(title !== undefined && { 'aria-labelledby': id })} className="mb-4 rounded-md border bg-surface">
      {title === undefined ? null : (
        <div className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-2.5">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {action}
        </div>
      )}
      <div className="space-y-4 p-4">{children}</div>
    </section>
  )
}

interface FormActionsProps {
  readonly errorCount: number
  readonly children: ReactNode
}

/** Stays in sight on long forms, and says how many fields still need a look. */
export function FormActions({ errorCount, children }: FormActionsProps) {
  const t = useT()
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mb-4 flex flex-wrap items-center gap-2 border-t bg-canvas px-4 py-3 md:-mx-1 md:px-1">
      {children}
      <span role="status" className="text-sm text-red">
        {errorCount === 0 ? '' : t('form.errors', { count: errorCount })}
      </span>
    </div>
  )
}
