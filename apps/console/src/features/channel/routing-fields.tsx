import { channelTagMax } from '@sluice/contract'
import { useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { useGroups } from '../../lib/use-groups.ts'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { PickerControl } from '../../ui/picker-control.tsx'
import type { ChannelValues } from './channel-values.ts'

/** Who may use the channel, and its precedence over others. */
export function RoutingFields() {
  const t = useT()
  const { formState, register } = useFormContext<ChannelValues>()
  const { errors } = formState
  const groups = useGroups()
  return (
    <FormSection title={t('channel.section.routing')}>
      <Field label={t('channel.groups')} hint={t('channel.groups.hint')} error={errors.group?.message}>
        {(control) => (
          <PickerControl
            name="group"
            control={control}
            label={t('channel.groups')}
            items={groups}
            allowsCustom={false}
            placeholder={t('channel.groups.search')}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('channel.priority')} hint={t('channel.priority.hint')} error={errors.priority?.message}>
          {(control) => <NumberInput {...control} {...register('priority')} inputMode="text" />}
        </Field>
        <Field label={t('channel.weight')} hint={t('channel.weight.hint')} error={errors.weight?.message}>
          {(control) => <NumberInput {...control} {...register('weight')} />}
        </Field>
      </div>
      <Field label={t('channel.tag')} hint={t('channel.tag.hint')} error={errors.tag?.message}>
        {(control) => <Input {...control} {...register('tag')} maxLength={channelTagMax} />}
      </Field>
    </FormSection>
  )
}
