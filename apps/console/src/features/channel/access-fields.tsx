import type { ConfigField } from '@sluice/vendors/core/channel-config'
import { useState } from 'react'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import type { MessageKey } from '../../lib/t.ts'
import { useLocale, useT } from '../../lib/t.ts'
import type { VendorFacts } from '../../lib/vendor-facts.ts'
import { keyHintOf } from '../../lib/vendors.ts'
import { type ControlProps, Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, PasswordInput, Textarea } from '../../ui/input.tsx'
import { Switch } from '../../ui/toggle.tsx'
import type { ChannelValues } from './channel-values.ts'

interface AccessFieldsProps {
  readonly vendor: VendorFacts | null
  readonly isNew: boolean
}

/** How the vendor is reached: key, base URL, and the other fields of its record. */
export function AccessFields({ vendor, isNew }: AccessFieldsProps) {
  const t = useT()
  const locale = useLocale()
  const { register, formState } = useFormContext<ChannelValues>()
  const { errors } = formState
  const address = vendor === null ? undefined : vendor.routes.baseUrl
  return (
    <FormSection title={t('channel.section.access')}>
      {vendor?.key.fields === undefined ? (
        <KeyField hint={vendor === null ? '' : keyHintOf(vendor, locale)} isNew={isNew} isOptional={vendor?.key.isOptional === true} />
      ) : null}
      {(vendor?.configFields ?? []).map((field) => (
        <ConfigInput
          key={field}
          field={field}
          isNew={isNew}
          isKeyPart={vendor?.key.fields?.includes(field) === true}
          // What the server says of the whole key stands at its last part.
          keyError={vendor?.key.fields?.at(-1) === field ? errors.key?.message : undefined}
        />
      ))}
      <Field
        label={t('channel.baseUrl')}
        isRequired={address === null}
        hint={address === undefined ? undefined : address === null ? t('channel.baseUrl.needed') : t('channel.baseUrl.hint', { address })}
        error={errors.base_url?.message}
      >
        {(control) => <Input {...control} {...register('base_url')} inputMode="url" placeholder={address ?? 'https://'} />}
      </Field>
      <OtherField vendor={vendor} />
    </FormSection>
  )
}

/** The further setting of a vendor, under the name that it has there. A stored one is shown whatever the type. */
function OtherField({ vendor }: Pick<AccessFieldsProps, 'vendor'>) {
  const t = useT()
  const locale = useLocale()
  const { register, formState, getValues } = useFormContext<ChannelValues>()
  const [wasSet] = useState(() => getValues('other') !== '')
  if (vendor?.otherLabel === undefined && !wasSet) return null
  return (
    <Field
      label={vendor?.otherLabel?.[locale] ?? t('channel.other')}
      isRequired={vendor?.needsOther === true}
      hint={vendor?.otherDefault === undefined ? undefined : t('channel.other.default', { value: vendor.otherDefault })}
      error={formState.errors.other?.message}
    >
      {(control) => <Input {...control} {...register('other')} placeholder={vendor?.otherDefault} />}
    </Field>
  )
}

interface KeyFieldProps {
  readonly hint: string
  readonly isNew: boolean
  readonly isOptional: boolean
}

function KeyField({ hint, isNew, isOptional }: KeyFieldProps) {
  const t = useT()
  const { register, formState, control: form } = useFormContext<ChannelValues>()
  const isBatch = useWatch({ control: form, name: 'isBatch' })
  return (
    <>
      <Field
        label={t(isBatch ? 'channel.keys' : 'channel.key')}
        isRequired={isNew && !isOptional}
        hint={t(isBatch ? 'channel.keys.hint' : isNew ? 'channel.key.hint' : 'channel.key.keep')}
        error={formState.errors.key?.message}
        aside={isBatch ? <KeyCount /> : undefined}
      >
        {(control) =>
          isBatch ? (
            <Textarea {...control} {...register('key')} placeholder={`${hint}\n${hint}`} autoComplete="off" className="font-mono text-sm" />
          ) : (
            <PasswordInput {...control} {...register('key')} placeholder={isNew ? hint : '••••••••'} autoComplete="new-password" />
          )
        }
      </Field>
      {isNew ? (
        <Controller
          name="isBatch"
          control={form}
          render={({ field }) => (
            <Switch
              label={t('channel.batch')}
              hint={isBatch ? undefined : t('channel.batch.hint')}
              isOn={field.value}
              onChange={field.onChange}
            />
          )}
        />
      ) : null}
    </>
  )
}

function KeyCount() {
  const t = useT()
  const key = useWatch<ChannelValues, 'key'>({ name: 'key' })
  return t('channel.keys.count', { count: key.split('\n').filter((line) => line.trim() !== '').length })
}

/** The control for each member: secret, long, or plain text. */
const inputs: Readonly<Record<ConfigField, 'text' | 'secret' | 'long'>> = {
  region: 'text',
  ak: 'text',
  sk: 'secret',
  user_id: 'text',
  vertex_ai_project_id: 'text',
  vertex_ai_adc: 'long',
}
const labels: Readonly<Record<ConfigField, MessageKey>> = {
  region: 'channel.config.region',
  ak: 'channel.config.ak',
  sk: 'channel.config.sk',
  user_id: 'channel.config.user_id',
  vertex_ai_project_id: 'channel.config.vertex_ai_project_id',
  vertex_ai_adc: 'channel.config.vertex_ai_adc',
}

interface ConfigInputProps {
  readonly field: ConfigField
  readonly isNew: boolean
  readonly isKeyPart: boolean
  readonly keyError: string | undefined
}

function ConfigInput({ field, isNew, isKeyPart, keyError }: ConfigInputProps) {
  const t = useT()
  const { register, formState } = useFormContext<ChannelValues>()
  const isSecret = inputs[field] !== 'text'
  const draw = (control: ControlProps) => {
    const props = { ...control, ...register(`config.${field}`) }
    if (inputs[field] === 'long') return <Textarea {...props} autoComplete="off" className="font-mono text-sm" />
    return isSecret ? <PasswordInput {...props} autoComplete="new-password" /> : <Input {...props} />
  }
  return (
    <Field
      label={t(labels[field])}
      isRequired={isKeyPart && isNew}
      hint={isSecret && !isNew ? t('channel.key.keep') : undefined}
      error={formState.errors.config?.[field]?.message ?? keyError}
    >
      {draw}
    </Field>
  )
}
