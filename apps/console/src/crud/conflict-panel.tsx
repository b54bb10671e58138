import { useEffect, useRef } from 'react'
import { type FieldValues, type Path, useFormContext, useWatch } from 'react-hook-form'
import { type MessageKey, type Translate, useT } from '../lib/t.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'

/** How a noun's fields are written where a form compares them. */
export interface FieldTexts {
  readonly nameOf: (field: string, t: Translate) => string
  /** The text of a field's value in the form, beside the other value of the field; `null` = as it is typed. */
  readonly textOf?: (field: string, values: ComparedValues, t: Translate) => string | null
}

export interface ComparedValues {
  readonly value: unknown
  readonly other: unknown
}

interface ConflictPanelProps {
  /** Fields that this form and somebody else have changed, to different values. */
  readonly fields: readonly string[]
  /** What fills the form from the row as it is stored now. */
  readonly stored: FieldValues
  readonly texts: FieldTexts
  readonly onDecided: (field: string) => void
}

/** Asks for each field whose value it is, before the form can be saved again. Inside the form's provider. */
export function ConflictPanel({ fields, stored, texts, onDecided }: ConflictPanelProps) {
  const t = useT()
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  return (
    <section ref={panel} id={conflictPanelId} tabIndex={-1} aria-label={t('form.conflict.title')} className="mb-4 scroll-mt-16 rounded-md">
      <Alert kind="warning" title={t('form.conflict.title')}>
        <p>{t('form.conflict.text')}</p>
        <ul className="mt-2 space-y-3">
          {fields.map((field) => (
            <Conflict key={field} field={field} theirs={stored[field]} texts={texts} onDecided={() => onDecided(field)} />
          ))}
        </ul>
      </Alert>
    </section>
  )
}

const conflictPanelId = 'conflicts'

/** Where to decide, for somebody who saves before that. */
export function showConflicts(): void {
  document.getElementById(conflictPanelId)?.focus()
}

interface ConflictProps {
  readonly field: string
  readonly theirs: unknown
  readonly texts: FieldTexts
  readonly onDecided: () => void
}

function Conflict({ field, theirs, texts, onDecided }: ConflictProps) {
  const t = useT()
  const { setValue } = useFormContext()
  const mine: unknown = useWatch({ name: field })
  const name = texts.nameOf(field, t)
  const take = () => {
    // Holds: the field is one of the form's values, and what is stored was made into its kind of value.
    setValue(field as Path<FieldValues>, theirs as never, { shouldDirty: true, shouldValidate: true })
    onDecided()
  }
  const sides: readonly {
    readonly title: MessageKey
    readonly action: MessageKey
    readonly values: ComparedValues
    readonly choose: () => void
  }[] = [
    { title: 'form.conflict.mine', action: 'form.conflict.keep', values: { value: mine, other: theirs }, choose: onDecided },
    { title: 'form.conflict.theirs', action: 'form.conflict.take', values: { value: theirs, other: mine }, choose: take },
  ]
  return (
    <li>
      <h3 className="mb-1 font-medium">{name}</h3>
      <div className="grid gap-2 sm:grid-cols-2">
        {sides.map(({ title, action, values, choose }) => (
          <div key={title} className="flex min-w-0 items-center gap-2 rounded-sm border bg-surface p-2 sm:flex-col sm:items-stretch">
            <div className="min-w-0 flex-1">
              <p className="text-xs text-muted">{t(title)}</p>
              <p className="mt-1 max-h-40 min-h-5 overflow-y-auto break-words whitespace-pre-wrap">
                <bdi>{texts.textOf?.(field, values, t) ?? textOf(values, t)}</bdi>
              </p>
            </div>
            <Button
              size="sm"
              className="sm:self-start"
              aria-label={t('form.conflict.choose', { action: t(action), field: name })}
              onClick={choose}
            >
              {t(action)}
            </Button>
          </div>
        ))}
      </div>
    </li>
  )
}

function textOf({ value, other }: ComparedValues, t: Translate): string {
  const text = Array.isArray(value) && Array.isArray(other) ? listText(value, other, t) : String(value)
  return text.trim() === '' ? t('form.conflict.empty') : text
}

/** The longest list that is shown whole; of a longer one, what the other list lacks. */
const wholeListMax = 12

function listText(list: readonly unknown[], other: readonly unknown[], t: Translate): string {
  const own = list.filter((entry) => !other.includes(entry))
  if (list.length <= wholeListMax || own.length === list.length) return list.join(', ')
  return [...own, t('form.conflict.both', { count: list.length - own.length })].join(', ')
}
