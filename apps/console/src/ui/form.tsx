import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'

interface FormSectionProps {
  readonly title?: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A titled group of fields. */
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

interface FoldedSectionProps {
  readonly title: string
  /** Beside the title: a summary of the content. */
  readonly note: string
  /** Open at first, because a field inside is set or has an error. */
  readonly isOpen: boolean
  readonly children: ReactNode
}

/** Rarely used fields, hidden until the section is opened. */
export function FoldedSection({ title, note, isOpen, children }: FoldedSectionProps) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details
      open={isOpen || wasOpened}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
      className="group mb-4 rounded-md border bg-surface"
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-md px-4 py-2.5 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted group-open:rotate-90" />
        <h2 className="font-semibold">{title}</h2>
        <span className="ms-auto text-sm text-muted">{note}</span>
      </summary>
      <div className="space-y-4 border-t p-4">{children}</div>
    </details>
  )
}

interface FormActionsProps {
  readonly errorCount: number
  /** Why nothing was saved, if it is about no field. */
  readonly refusal?: string | undefined
  readonly children: ReactNode
}

/** Stays visible on long forms, and shows the number of fields with errors. */
export function FormActions({ errorCount, refusal, children }: FormActionsProps) {
  const t = useT()
  const text = errorCount === 0 ? (refusal ?? '') : t('form.errors', { count: errorCount })
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mb-4 flex flex-wrap items-center gap-2 border-t bg-canvas px-4 py-3 md:-mx-1 md:px-1">
      {children}
      <span
        role="status"
        className={cx('min-w-0 text-sm wrap-anywhere text-red sm:ml-auto', text !== '' && 'max-sm:order-first max-sm:w-full')}
      >
        {text}
      </span>
    </div>
  )
}
