import { useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { ExpiryField } from '../../ui/expiry-field.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input } from '../../ui/input.tsx'
import { AccessFields } from './access-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { QuotaFields } from './quota-fields.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

/** The specification's, in its order. */
const spans = ['never', 'month', 'day', 'hour', 'minute'] as const

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
        <ExpiryField spans={spans} pastText="token.expiry.past" />
      </FormSection>
      <FormSection title={t('token.section.access')}>
        <AccessFields />
      </FormSection>
      <LimitFields />
    </>
  )
}
