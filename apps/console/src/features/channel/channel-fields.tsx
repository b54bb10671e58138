import { rawProxyType } from '@sluice/contract'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Alert } from '../../ui/alert.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { GridSelect } from '../../ui/grid-select.tsx'
import { Input } from '../../ui/input.tsx'
import { VendorBadge } from '../../ui/vendor-badge.tsx'
import { AccessFields } from './access-fields.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import type { ChannelInput } from './channel-resolver.ts'
import type { ChannelValues } from './channel-values.ts'
import { CostFields } from './cost-fields.tsx'
import { useFormChannel } from './form-channel.ts'
import { ModelFields } from './model-fields.tsx'
import { RawProxyFields } from './raw-proxy-fields.tsx'
import { RoutingFields } from './routing-fields.tsx'
import { useRelatedModels } from './use-catalogue.ts'
import { useTypeGroups } from './vendor-name.ts'

/** A channel on one page: identity, access, models, routing and settings. */
export function ChannelFields({ isNew }: { readonly isNew: boolean }) {
  const t = useT()
  const { register, formState } = useFormContext<ChannelValues, unknown, ChannelInput>()
  const type = useWatch<ChannelValues, 'type'>({ name: 'type' })
  const vendor = vendorByType(type)
  const stored = useFormChannel()
  return (
    <>
      {stored === null || stored.unreadable.length === 0 ? null : <Alert kind="warning">{t('channel.unreadable')}</Alert>}
      <FormSection title={t('channel.section.identity')}>
        <TypeField />
        <Field label={t('channel.name')} isRequired error={formState.errors.name?.message}>
          {(control) => <Input {...control} {...register('name')} />}
        </Field>
      </FormSection>
      <AccessFields vendor={vendor} isNew={isNew} />
      {type === rawProxyType ? <RawProxyFields /> : null}
      <ModelFields type={type} />
      <RoutingFields />
      <CostFields />
      <AdvancedFields />
    </>
  )
}

function TypeField() {
  const t = useT()
  const form = useFormContext<ChannelValues, unknown, ChannelInput>()
  const relatedModels = useRelatedModels()
  const groups = useTypeGroups(form.getValues('type')).map(({ label, types }) => ({
    label,
    items: types.map(({ type, name, color }) => ({ value: type, label: name, mark: <VendorBadge name={name} color={color} /> })),
  }))
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
            <GridSelect control={control} label={t('channel.type')} value={field.value} groups={groups} onChange={choose} />
          )}
        />
      )}
    </Field>
  )
}
