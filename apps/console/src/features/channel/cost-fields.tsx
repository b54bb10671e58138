import { channel } from '@sluice/contract'
import { useState } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { call, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FoldedSection } from '../../ui/form.tsx'
import { Input } from '../../ui/input.tsx'
import { JsonArea } from '../../ui/json-area.tsx'
import { type ChannelValues, isSetting } from './channel-values.ts'
import { withListPrices } from './list-prices.ts'

export const costNames = ['cost_factor', 'cost_prices'] as const

/** What the operator pays for the channel, for the margin on the dashboard; it changes no charge. */
export function CostFields() {
  const t = useT()
  const { control: form, formState, register, getValues } = useFormContext<ChannelValues>()
  const { errors } = formState
  const [isSet] = useState(() => costNames.some((name) => isSetting(name, getValues(name))))
  return (
    <FoldedSection
      title={t('channel.section.costs')}
      note={t(isSet ? 'channel.costs.own' : 'channel.costs.listed')}
      isOpen={isSet || costNames.some((name) => errors[name] !== undefined)}
    >
      <Field label={t('channel.cost_factor')} hint={t('channel.cost_factor.hint')} error={errors.cost_factor?.message}>
        {(control) => <Input {...control} {...register('cost_factor')} inputMode="decimal" className="max-w-40" />}
      </Field>
      <Field label={t('channel.cost_prices')} hint={t('channel.cost_prices.hint')} error={errors.cost_prices?.message}>
        {(control) => (
          <Controller
            name="cost_prices"
            control={form}
            render={({ field }) => (
              <>
                <JsonArea {...control} {...field} placeholder={'{\n  "gpt-4o": { "ratio": 1.25, "completion": 4 }\n}'} />
                <ListPricesButton text={field.value} onChange={field.onChange} />
              </>
            )}
          />
        )}
      </Field>
    </FoldedSection>
  )
}

interface ListPricesProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Fills in the vendors' list prices of the channel's models, as a beginning; prices that are there already stay. */
function ListPricesButton({ text, onChange }: ListPricesProps) {
  const t = useT()
  const { getValues } = useFormContext<ChannelValues>()
  const [isBusy, setBusy] = useState(false)
  async function fill(): Promise<void> {
    const { models } = getValues()
    setBusy(true)
    try {
      const prices = await call(channel.listPrices, { models: models.join(',') })
      const filled = withListPrices(text, prices)
      if (filled === null) showToast('info', t('channel.cost_prices.none'))
      else onChange(filled)
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="sm" className="mt-2" isBusy={isBusy} onClick={() => void fill()}>
      {t('channel.cost_prices.fill')}
    </Button>
  )
}
