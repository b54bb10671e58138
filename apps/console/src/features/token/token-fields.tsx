import { useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input } from '../../ui/input.tsx'
import { AccessFields } from './access-fields.tsx'
import { ExpiryField } from './expiry-field.tsx'
import { LimitFields } from './limit-fields.tsx'
import { QuotaFields } from './quota-fields.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

export function TokenFields() {
  const t = useT()
  const { register, formState } = useFormContext<TokenValues, unknown, TokenInput>()
  return (
    <>
      <FormSection>
        <Field label={t('token.name')} isRequired hint={t('token.name.hint')} error={formState.errors.name?.message}>
          {(control) => <Input {...control} {...register('name')} />}
        </Field>
      </FormSection>
      <FormSection title={t('token.section.limit')}>
        <QuotaFields />
        <ExpiryField />
      </FormSection>
      <FormSection title={t('token.section.access')}>
        <AccessFields />
      </FormSection>
      <LimitFields />
    </>
  )
}
