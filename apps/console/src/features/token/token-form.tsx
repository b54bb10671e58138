import { FormProvider, type UseFormReturn, useForm } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormActions, FormSection } from '../../ui/form.tsx'
import { GuardedForm } from '../../ui/guarded-form.tsx'
import { Input } from '../../ui/input.tsx'
import { AccessFields } from './access-fields.tsx'
import { ExpiryField } from './expiry-field.tsx'
import { LimitFields } from './limit-fields.tsx'
import { QuotaFields } from './quota-fields.tsx'
import { type TokenInput, type TokenValues, tokenResolver } from './token-values.ts'

type TokenFormState = UseFormReturn<TokenValues, unknown, TokenInput>

export function useTokenForm(values: TokenValues): TokenFormState {
  return useForm<TokenValues, unknown, TokenInput>({ defaultValues: values, resolver: tokenResolver })
}

interface TokenFormProps {
  readonly form: TokenFormState
  readonly saveLabel: string
  readonly isBusy: boolean
  readonly onSend: (input: TokenInput) => void
}

export function TokenForm({ form, saveLabel, isBusy, onSend }: TokenFormProps) {
  const t = useT()
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm isDirty={isDirty} onSubmit={(event) => void form.handleSubmit((input) => (isBusy ? undefined : onSend(input)))(event)}>
        <FormSection>
          <Field label={t('token.name')} isRequired hint={t('token.name.hint')} error={errors.name?.message}>
            {(control) => <Input {...control} {...form.register('name')} />}
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
        <FormActions errorCount={Object.keys(errors).length}>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {isBusy ? t('action.saving') : saveLabel}
          </Button>
          <ButtonLink to="/token">{t('action.cancel')}</ButtonLink>
        </FormActions>
      </GuardedForm>
    </FormProvider>
  )
}
