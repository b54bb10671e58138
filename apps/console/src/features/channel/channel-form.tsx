import { vendorByType } from '@sluice/vendors/list'
import { Controller, FormProvider, useWatch } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormActions, FormSection } from '../../ui/form.tsx'
import { GuardedForm } from '../../ui/guarded-form.tsx'
import { Input } from '../../ui/input.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { AccessFields } from './access-fields.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { ModelFields } from './model-fields.tsx'
import { RoutingFields } from './routing-fields.tsx'
import { useRelatedModels } from './use-catalogue.ts'
import type { ChannelFormState, ChannelInput } from './use-channel-form.ts'
import { useTypeOptions } from './vendor-name.ts'

interface ChannelFormProps {
  readonly form: ChannelFormState
  readonly isNew: boolean
  readonly isBusy: boolean
  readonly onSend: (input: ChannelInput) => void
}

/** A channel on one page: identity, access, models, routing and settings. */
export function ChannelForm({ form, isNew, isBusy, onSend }: ChannelFormProps) {
  const t = useT()
  const type = useWatch({ control: form.control, name: 'type' })
  const vendor = vendorByType(type)
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm isDirty={isDirty} onSubmit={(event) => void form.handleSubmit((input) => (isBusy ? undefined : onSend(input)))(event)}>
        <FormSection title={t('channel.section.identity')}>
          <TypeField form={form} />
          <Field label={t('channel.name')} isRequired error={errors.name?.message}>
            {(control) => <Input {...control} {...form.register('name')} />}
          </Field>
        </FormSection>
        <AccessFields vendor={vendor} isNew={isNew} />
        <ModelFields type={type} />
        <RoutingFields />
        <AdvancedFields />
        <FormActions errorCount={Object.keys(errors).length}>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {t(isBusy ? 'action.saving' : 'action.save')}
          </Button>
          <ButtonLink to="/channel">{t('action.cancel')}</ButtonLink>
        </FormActions>
      </GuardedForm>
    </FormProvider>
  )
}

function TypeField({ form }: { readonly form: ChannelFormState }) {
  const t = useT()
  const relatedModels = useRelatedModels()
  const options = useTypeOptions(form.getValues('type'))
  const choose = (type: number) => {
    form.setValue('type', type, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
    const related = relatedModels(type)
    if (form.getValues('models').length === 0 && related.length > 0) form.setValue('models', [...related], { shouldDirty: true })
  }
  return (
    <Field label={t('channel.type')} error={form.formState.errors.type?.message}>
      {(control) => (
        <Controller
          name="type"
          control={form.control}
          render={({ field }) => (
            <SearchSelect control={control} label={t('channel.type')} value={field.value} options={options} onChange={choose} />
          )}
        />
      )}
    </Field>
  )
}
