import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { QuotaControl } from '../../ui/quota-control.tsx'
import { Switch } from '../../ui/toggle.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

/** How much the token may use. */
export function QuotaFields() {
  const t = useT()
  const { control: form, formState } = useFormContext<TokenValues, unknown, TokenInput>()
  const isUnlimited = useWatch({ control: form, name: 'unlimited_quota' })
  return (
    <>
      <Field label={t('token.quota')} hint={t('token.quota.hint')} error={isUnlimited ? undefined : formState.errors.remain_quota?.message}>
        {(control) => <QuotaControl control={control} name="remain_quota" isDisabled={isUnlimited} />}
      </Field>
      <Controller
        name="unlimited_quota"
        control={form}
        render={({ field }) => (
          <Switch label={t('token.unlimited')} hint={t('token.unlimited.hint')} isOn={field.value} onChange={field.onChange} />
        )}
      />
    </>
  )
}
