import { type TokenLimitName, tokenLimitNames } from '@sluice/contract'
import { useFormContext, useWatch } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { FoldedSection } from '../../ui/form.tsx'
import { NumberInput } from '../../ui/input.tsx'
import { QuotaControl } from '../../ui/quota-control.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

const inQuota: ReadonlySet<TokenLimitName> = new Set(['quota_per_day', 'quota_per_month'])

/** The token's rate limits. Folded if none is set, which is the usual case. */
export function LimitFields() {
  const t = useT()
  const { register, formState } = useFormContext<TokenValues, unknown, TokenInput>()
  const { defaultValues, errors } = formState
  const count = useWatch<TokenValues, typeof tokenLimitNames>({ name: tokenLimitNames }).filter((typed) => !isNone(typed)).length
  const hadLimits = tokenLimitNames.some((name) => !isNone(defaultValues?.[name]))
  const hasError = tokenLimitNames.some((name) => errors[name] !== undefined)
  const note = count === 0 ? t('token.limits.none') : t('token.limits.count', { count })
  return (
    <FoldedSection title={t('token.section.rate')} note={note} isOpen={hadLimits || hasError}>
      {tokenLimitNames.map((name) => (
        <Field key={name} label={t(`token.limits.${name}`)} hint={t(`token.limits.${name}.hint`)} error={errors[name]?.message}>
          {(control) =>
            inQuota.has(name) ? (
              <QuotaControl control={control} name={name} placeholder={t('token.limits.none')} />
            ) : (
              <NumberInput {...control} {...register(name)} placeholder={t('token.limits.none')} />
            )
          }
        </Field>
      ))}
    </FoldedSection>
  )
}

function isNone(typed: string | undefined): boolean {
  return typed === undefined || typed.trim() === '' || typed.trim() === '0'
}
