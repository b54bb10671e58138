import { Controller, useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { ModelPicker } from '../../ui/model-picker.tsx'
import type { ChannelValues } from './channel-values.ts'
import { MappingField } from './mapping-field.tsx'
import { ModelPrices } from './model-prices.tsx'
import { UpstreamModels } from './upstream-models.tsx'
import { useAllModels, useRelatedModels } from './use-catalogue.ts'

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
          <UpstreamModels models={models} onChange={set} />
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
      <MappingField />
    </FormSection>
  )
}
