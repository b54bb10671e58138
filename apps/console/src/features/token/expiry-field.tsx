import { useController, useFormContext, useWatch } from 'react-hook-form'
import { useLocale, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatRelative, formatTime, parseTime } from '../../lib/time.ts'
import { Button } from '../../ui/button.tsx'
import { Field, FieldGroup } from '../../ui/field.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

/** Seconds from now; `null` = never. A month is thirty days. */
const spans = [
  { id: 'never', seconds: null },
  { id: 'month', seconds: 30 * 86_400 },
  { id: 'day', seconds: 86_400 },
  { id: 'hour', seconds: 3_600 },
  { id: 'minute', seconds: 60 },
] as const

/** The token's expiry: typed as local time, or one of a few spans from now. */
export function ExpiryField() {
  const t = useT()
  const { formState, setValue } = useFormContext<TokenValues, unknown, TokenInput>()
  const { field } = useController<TokenValues, 'expired_time'>({ name: 'expired_time' })
  const set = (seconds: number | null) => {
    const text = seconds === null ? '' : formatTime(Math.ceil(Date.now() / 1000) + seconds)
    setValue('expired_time', text, { shouldDirty: true, shouldValidate: true })
  }
  return (
    <div>
      <Field
        label={t('token.expiry')}
        hint={<ExpiryPreview />}
        error={formState.errors.expired_time === undefined ? undefined : t('token.expiry.error')}
      >
        {(control) => <TimeInput {...control} {...field} placeholder={t('token.expiry.placeholder')} timeAtFirst="23:59:59" />}
      </Field>
      <FieldGroup label={t('token.expiry.quick')}>
        <div className="mt-2 flex flex-wrap gap-1.5">
          {spans.map(({ id, seconds }) => (
            <Button key={id} size="sm" onClick={() => set(seconds)}>
              {t(`token.expiry.quick.${id}`)}
            </Button>
          ))}
        </div>
      </FieldGroup>
    </div>
  )
}

function ExpiryPreview() {
  const t = useT()
  const locale = useLocale()
  const text = useWatch<TokenValues, 'expired_time'>({ name: 'expired_time' })
  const time = parseTime(text)
  if (text.trim() === '') return t('token.expiry.never')
  if (time === null) return t('token.expiry.placeholder')
  const nowMs = Date.now()
  const isPast = time * 1000 <= nowMs
  const relative = formatRelative(time, { nowMs, locale })
  return <span className={cx(isPast && 'text-yellow')}>{t(isPast ? 'token.expiry.past' : 'token.expiry.future', { relative })}</span>
}
