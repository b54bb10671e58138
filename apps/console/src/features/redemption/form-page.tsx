import { redemption, redemptionBaselineFields } from '@sluice/contract'
import { Copy, Download } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFormContext } from 'react-hook-form'
import { EntityAddPage, EntityEditPage, preloadRow } from '../../crud/entity-pages.tsx'
import { type CreatedProps, entityForms } from '../../crud/entity-spec.ts'
import { fileName, saveText } from '../../lib/download.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ExpiryField } from '../../ui/expiry-field.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { QuotaControl } from '../../ui/quota-control.tsx'
import { changesOf, newRedemption, type RedemptionInput, type RedemptionValues, redemptionResolver, valuesOf } from './redemption-values.ts'

const fieldLabels: Readonly<Record<string, MessageKey>> = { quota: 'redemption.quota', expired_time: 'expiry.label' }

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
  search: redemption.search,
  newValues: newRedemption,
  toValues: valuesOf,
  resolverFor: () => redemptionResolver,
  toUpdate: changesOf,
  compared: { names: redemptionBaselineFields, texts: { nameOf: (field, t) => t(fieldLabels[field] ?? 'redemption.name') } },
  nameOf: ({ id, name }) => `#${id} ${name}`,
  firstField: 'name',
  Fields: RedemptionFields,
  Created: CodesDialog,
  isForAdmins: true,
})
export const preload = preloadRow(forms)

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
      <Field
        label={t('redemption.quota')}
        hint={t(isNew ? 'redemption.quota.hint' : 'redemption.quota.hint.edit')}
        error={errors.quota?.message}
      >
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

/** Saves new codes as a text file, one on each line, and shows them, so that a blocked download loses nothing. */
function CodesDialog({ created, input, isOpen, onClose }: CreatedProps<readonly string[], RedemptionInput>) {
  const t = useT()
  const field = useRef<HTMLTextAreaElement>(null)
  const copy = useCopy(() => field.current?.select())
  const [text, file] = [`${created.join('\n')}\n`, `${fileName(input.name)}.txt`]
  useEffect(() => saveText(file, text), [file, text])
  return (
    <Dialog title={t('redemption.codes.title', { count: created.length })} isOpen={isOpen} onClose={onClose}>
      <p className="mb-3 text-muted">{t('redemption.codes.text', { file })}</p>
      <Textarea
        ref={field}
        readOnly
        aria-label={t('redemption.codes')}
        value={text}
        rows={Math.min(10, created.length)}
        className="font-mono text-sm"
      />
      <div className="mt-4 flex flex-wrap gap-2">
        <Button look="primary" data-first onClick={() => void copy(text)}>
          <Copy aria-hidden className="size-4" />
          {t('redemption.codes.copy')}
        </Button>
        <Button onClick={() => saveText(file, text)}>
          <Download aria-hidden className="size-4" />
          {t('redemption.codes.save')}
        </Button>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </div>
    </Dialog>
  )
}
