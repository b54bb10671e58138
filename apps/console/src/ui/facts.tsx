import { type ReactNode, useId } from 'react'

/** A titled list of facts, in a sheet. */
export function Facts({ title, action, children }: { readonly title: string; readonly action?: ReactNode; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div className="mb-1 flex items-center justify-between gap-3">
        <h3 id={id} className="text-xs font-medium text-muted">
          {title}
        </h3>
        {action}
      </div>
      <dl className="divide-y rounded-sm border px-3">{children}</dl>
    </section>
  )
}

/** One line; nothing if the value is unknown. */
export function Fact({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  if (value === '' || value === null) return null
  return (
    <div className="flex items-baseline justify-between gap-6 py-2">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className="min-w-0 text-right break-words tabular">{value}</dd>
    </div>
  )
}
