import { useController, useFormContext, useWatch } from 'react-hook-form'
import { type MessageKey, useLocale, useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { formatRelative, formatTime, parseTime } from '../lib/time.ts'
import { Button } from './button.tsx'
import { Field, FieldGroup } from './field.tsx'
import { TimeInput } from './time-input.tsx'

/** Seconds from now; `null` = never. A month is thirty days. */
const spanSeconds = { never: null, year: 365 * 86_400, month: 30 * 86_400, week: 7 * 86_400, day: 86_400, hour: 3_600, minute: 60 } as const

interface Expiring {
  /** Local time as typed; empty = never. */
  readonly expired_time: string
}

interface ExpiryFieldProps {
  /** The spans with a button. */
  readonly spans: readonly (keyof typeof spanSeconds)[]
  /** Said of a time that has passed; it has the parameter `relative`. */
  readonly pastText: MessageKey
}

/** When something expires: typed as local time, or one of a few spans from now. */
export function ExpiryField({ spans, pastText }: ExpiryFieldProps) {
  const t = useT()
  const { formState, setValue } = useFormContext<Expiring>()
  const { field } = useController<Expiring, 'expired_time'>({ name: 'expired_time' })
  const fault = formState.errors.expired_time
  const set = (seconds: number | null) => {
    const text = seconds === null ? '' : formatTime(Math.ceil(Date.now() / 1000) + seconds)
    setValue('expired_time', text, { shouldDirty: true, shouldValidate: true })
  }
  return (
    <div>
      <Field
        label={t('expiry.label')}
        hint={<ExpiryPreview pastText={pastText} />}
        // The server's own refusals say what is wrong with a time that can be read.
        error={fault === undefined ? undefined : fault.type === 'server' ? fault.message : t('expiry.error')}
      >
        {(control) => <TimeInput {...control} {...field} timeAtFirst="23:59:59" />}
      </Field>
      <FieldGroup label={t('expiry.quick')}>
        <div className="mt-2 flex flex-wrap gap-1.5 max-sm:gap-1">
          {spans.map((span) => (
            <Button key={span} size="sm" className="max-sm:px-1.5!" onClick={() => set(spanSeconds[span])}>
              {t(`expiry.quick.${span}`)}
            </Button>
          ))}
        </div>
      </FieldGroup>
    </div>
  )
}

function ExpiryPreview({ pastText }: Pick<ExpiryFieldProps, 'pastText'>) {
  const t = useT()
  const locale = useLocale()
  const text = useWatch<Expiring, 'expired_time'>({ name: 'expired_time' })
  const time = parseTime(text)
  if (text.trim() === '') return t('expiry.never')
  if (time === null) return t('expiry.placeholder')
  const nowMs = Date.now()
  const isPast = time * 1000 <= nowMs
  const relative = formatRelative(time, { nowMs, locale })
  return <span className={cx(isPast && 'text-yellow')}>{t(isPast ? pastText : 'expiry.future', { relative })}</span>
}
