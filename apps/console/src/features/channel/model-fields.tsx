import { Controller, useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { ModelPicker } from '../../ui/model-picker.tsx'
import type { ChannelValues } from './channel-values.ts'
import { ModelPrices } from './model-prices.tsx'
import { useAllModels, useRelatedModels } from './use-catalogue.ts'

/** Example of the specification, section 9. */
const mappingExample = JSON.stringify(
  { 'gpt-3.5-turbo-0301': 'gpt-3.5-turbo', 'gpt-4-0314': 'gpt-4', 'gpt-4-32k-0314': 'gpt-4-32k' },
  null,
  2,
)

/** The channel's models, and their names at the vendor. */
export function ModelFields({ type }: { readonly type: number }) {
  const t = useT()
  const { control: form, formState, watch, setValue } = useFormContext<ChannelValues>()
  const related = useRelatedModels()(type)
  const all = useAllModels()
  const models = watch('models')
  const set = (next: readonly string[]) => setValue('models', [...next], { shouldDirty: true, shouldValidate: formState.isSubmitted })
  const add = (names: readonly string[]) => set([...new Set([...models, ...names])])
  return (
    <FormSection
      title={t('channel.section.models')}
      action={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" disabled={related.length === 0} onClick={() => add(related)}>
            {t('channel.models.related')}
          </Button>
          <Button size="sm" disabled={all.length === 0} onClick={() => add(all)}>
            {t('channel.models.all')}
          </Button>
          <Button size="sm" disabled={models.length === 0} onClick={() => set([])}>
            {t('channel.models.clear')}
          </Button>
        </div>
      }
    >
      <Field
        label={t('channel.models')}
        hint={t('channel.models.hint')}
        error={formState.errors.models?.message}
        aside={t('picker.selected', { count: models.length })}
      >
        {(control) => (
          <Controller
            name="models"
            control={form}
            render={({ field }) => (
              <ModelPicker
                control={control}
                label={t('channel.models')}
                inputRef={field.ref}
                value={models}
                onChange={set}
                items={all}
                allowsCustom
              />
            )}
          />
        )}
      </Field>
      <ModelPrices models={models} />
      <Field label={t('channel.mapping')} hint={t('channel.mapping.hint')} error={formState.errors.model_mapping?.message}>
        {(control) => (
          <Controller
            name="model_mapping"
            control={form}
            render={({ field }) => <JsonArea {...control} {...field} placeholder={mappingExample} />}
          />
        )}
      </Field>
    </FormSection>
  )
}
