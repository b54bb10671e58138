import { redemption } from '@sluice/contract'
import type { ReactNode } from 'react'
import { useFormContext } from 'react-hook-form'
import { EntityAddPage, EntityEditPage, entityForms } from '../../crud/entity-pages.tsx'
import { useT } from '../../lib/t.ts'
import { ExpiryField } from '../../ui/expiry-field.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { QuotaControl } from '../../ui/quota-control.tsx'
import { CodesDialog } from './codes-dialog.tsx'
import { changesOf, newRedemption, type RedemptionInput, type RedemptionValues, redemptionResolver, valuesOf } from './redemption-values.ts'

const forms = entityForms({
  listPath: '/redemption',
  texts: {
    list: 'nav.redemption',
    addTitle: 'redemption.add.title',
    addLead: 'redemption.lead',
    add: 'redemption.create',
    added: 'redemption.created.toast',
    editTitle: 'redemption.edit.title',
    edited: 'redemption.updated.toast',
  },
  get: redemption.get,
  create: redemption.create,
  update: redemption.update,
  newValues: newRedemption,
  toValues: valuesOf,
  resolverFor: () => redemptionResolver,
  toUpdate: changesOf,
  nameOf: ({ id, name }) => `#${id} ${name}`,
  firstField: 'name',
  Fields: RedemptionFields,
  Created: CodesDialog,
  isForAdmins: true,
})

export function RedemptionAddPage(): ReactNode {
  return <EntityAddPage {...forms} />
}

export function RedemptionEditPage(): ReactNode {
  return <EntityEditPage {...forms} />
}

const spans = ['never', 'year', 'month', 'week', 'day'] as const

function RedemptionFields({ isNew }: { readonly isNew: boolean }) {
  const t = useT()
  const { register, formState } = useFormContext<RedemptionValues, unknown, RedemptionInput>()
  const { errors } = formState
  return (
    <FormSection>
      <Field label={t('redemption.name')} isRequired hint={t('redemption.name.hint')} error={errors.name?.message}>
        {(control) => <Input {...control} {...register('name')} />}
      </Field>
      <Field label={t('redemption.quota')} hint={t('redemption.quota.hint')} error={errors.quota?.message}>
        {(control) => <QuotaControl control={control} name="quota" />}
      </Field>
      {isNew ? (
        <Field label={t('redemption.count')} hint={t('redemption.count.hint')} error={errors.count?.message}>
          {(control) => <NumberInput {...control} {...register('count')} />}
        </Field>
      ) : null}
      <ExpiryField spans={spans} pastText="redemption.expiry.past" />
    </FormSection>
  )
}
