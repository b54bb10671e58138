import { channelSettingNames } from '@sluice/contract'
import { useState } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { FoldedSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { type ChannelValues, isSetting } from './channel-values.ts'
import { costNames } from './cost-fields.tsx'
import { rawProxyNames } from './raw-proxy-fields.tsx'
import { RewriteChoice } from './rewrite-choice.tsx'

const elsewhere: readonly string[] = [...costNames, ...rawProxyNames]

const advancedNames = channelSettingNames.filter((name) => !elsewhere.includes(name))

const waits = ['first_byte_seconds', 'idle_seconds', 'total_seconds'] as const

/** Settings that only some channels need: limits, a proxy, headers, a prompt, parameters without a price, and whether the program may disable the channel. */
export function AdvancedFields() {
  const t = useT()
  const { isRoot } = useSession()
  const { control: form, formState, register, getValues } = useFormContext<ChannelValues>()
  const { errors } = formState
  const [setCount] = useState(() => advancedNames.filter((name) => isSetting(name, getValues(name))).length)
  // Closing it is everybody's, and so is taking that back.
  const mayOpen = isRoot || formState.defaultValues?.content_of_key === true
  const note = setCount === 0 ? t('channel.advanced.none') : t('channel.advanced.set', { count: setCount })
  return (
    <FoldedSection
      title={t('channel.section.advanced')}
      note={note}
      isOpen={setCount > 0 || advancedNames.some((name) => errors[name] !== undefined)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('channel.in_flight_max')} hint={t('channel.in_flight_max.hint')} error={errors.in_flight_max?.message}>
          {(control) => <NumberInput {...control} {...register('in_flight_max')} />}
        </Field>
        <Field label={t('channel.test_model')} hint={t('channel.test_model.hint')} error={errors.test_model?.message}>
          {(control) => <Input {...control} {...register('test_model')} />}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {waits.map((name) => (
          <Field key={name} label={t(`channel.${name}`)} hint={t(`channel.${name}.hint`)} error={errors[name]?.message}>
            {(control) => <NumberInput {...control} {...register(name)} />}
          </Field>
        ))}
      </div>
      <Field label={t('channel.proxy')} hint={t('channel.proxy.hint')} error={errors.proxy?.message}>
        {(control) => (
          <Input {...control} {...register('proxy')} inputMode="url" autoComplete="off" placeholder="http://user:password@host:3128" />
        )}
      </Field>
      <Field label={t('channel.headers')} hint={t('channel.headers.hint')} error={errors.headers?.message}>
        {(control) => (
          <Controller
            name="headers"
            control={form}
            render={({ field }) => <JsonArea {...control} {...field} placeholder={'{\n  "X-Team": "blue"\n}'} />}
          />
        )}
      </Field>
      <Field label={t('channel.system_prompt')} hint={t('channel.system_prompt.hint')} error={errors.system_prompt?.message}>
        {(control) => <Textarea {...control} {...register('system_prompt')} />}
      </Field>
      <Controller
        name="content_of_key"
        control={form}
        render={({ field }) => (
          <Switch
            label={t('channel.content_of_key')}
            hint={t(mayOpen ? 'channel.content_of_key.hint' : 'channel.content_of_key.root')}
            isOn={field.value}
            isDisabled={!mayOpen}
            onChange={field.onChange}
          />
        )}
      />
      <Field label={t('channel.allowed_members')} hint={t('channel.allowed_members.hint')} error={errors.allowed_members?.message}>
        {(control) => <Textarea {...control} {...register('allowed_members')} readOnly={!isRoot} />}
      </Field>
      <Controller
        name="rewrites_off"
        control={form}
        render={({ field }) => <RewriteChoice off={field.value} onChange={field.onChange} error={errors.rewrites_off?.message} />}
      />
      <Controller
        name="auto_disable"
        control={form}
        render={({ field }) => (
          <Switch label={t('channel.auto_disable')} hint={t('channel.auto_disable.hint')} isOn={field.value} onChange={field.onChange} />
        )}
      />
    </FoldedSection>
  )
}
