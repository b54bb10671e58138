import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useT } from '../lib/t.ts'

/** Attributes that connect a control to its label, hint and error. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Replaces the hint. */
  readonly error?: string | undefined
  readonly isRequired?: boolean
  /** Beside the label: the value in another unit. */
  readonly aside?: ReactNode
  readonly children: (control: ControlProps) => ReactNode
}

/** Label above, hint below. The label is always shown: a placeholder disappears during typing. */
export function Field({ label, hint, error, isRequired = false, aside, children }: FieldProps) {
  const t = useT()
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = error !== undefined || hint !== undefined
  return (
    <div>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="min-w-0 font-medium break-words">
          {label}
          {isRequired ? <span className="text-sm font-normal text-muted">{t('field.required')}</span> : null}
        </label>
        {aside === undefined ? null : <span className="text-sm text-muted tabular">{aside}</span>}
      </div>
      {children({ id, 'aria-describedby': hasNote ? noteId : undefined, 'aria-invalid': error === undefined ? undefined : true })}
      {hasNote ? (
        <div id={noteId} className="mt-1 text-sm [overflow-wrap:anywhere]">
          {error === undefined ? <span className="text-muted">{hint}</span> : <FieldError text={error} />}
        </div>
      ) : null}
    </div>
  )
}

function FieldError({ text }: { readonly text: string }) {
  return (
    <span className="flex items-start gap-1.5 text-red">
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {text}
    </span>
  )
}

interface FieldGroupProps {
  readonly label: string
  readonly children: ReactNode
}

/** A named group of buttons or switches. */
export function FieldGroup({ label, children }: FieldGroupProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      {children}
    </fieldset>
  )
}

/** A button in the line of fields: it stands below a space as high as their labels, so that a refusal below a field does not move it. */
export function BesideFields({ children }: { readonly children: ReactNode }) {
  return (
    <div>
      <div aria-hidden className="mb-1 max-lg:hidden">
        &nbsp;
      </div>
      {children}
    </div>
  )
}

/** The button of a long form in a dialog: it stays in sight while the dialog scrolls. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 border-t bg-surface px-4 py-3">{children}</div>
}
