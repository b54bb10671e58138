import { channel } from '@sluice/contract'
import { useState } from 'react'
import { explain } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { BesideFields, Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { type PriceKind, priceKinds, priceOf } from './price-choice.ts'

/** Most models in one call, because their names are in its URL. */
const modelsMax = 100
/** Rows shown at once; the next ones appear when these have a price. */
const visibleMax = 8

/** The form's models without a price, each with fields to set one. Requests for them are refused until then. */
export function ModelPrices({ models }: { readonly models: readonly string[] }) {
  const t = useT()
  const unpriced = useRead(channel.unpriced, { input: { models: models.slice(0, modelsMax).join(',') }, isEnabled: models.length > 0 })
  const names = (unpriced.data ?? []).filter((name) => models.includes(name))
  if (names.length === 0) return null
  return (
    <section aria-label={t('channel.prices')} className="flex flex-col gap-3">
      <p className="text-sm text-muted">{t('channel.prices.hint')}</p>
      {names.slice(0, visibleMax).map((name) => (
        <PriceRow key={name} model={name} />
      ))}
    </section>
  )
}

function PriceRow({ model }: { readonly model: string }) {
  const t = useT()
  const [kind, setKind] = useState<PriceKind>('free')
  const [texts, setTexts] = useState({ like: '', input: '', output: '' })
  const save = useCall(channel.setPrice, {
    onDone: () => showToast('success', t('channel.prices.saved', { model })),
  })
  const price = priceOf(kind, texts)
  const refusal = save.error === null ? undefined : explain(save.error)?.text
  const set = (name: keyof typeof texts) => (value: string) => setTexts({ ...texts, [name]: value })
  return (
    // Fields of one width: a long refusal below one must not push the button into the next line.
    <div className="flex flex-wrap items-start gap-2 *:min-w-0 *:max-w-full [&>:not(:last-child)]:w-60">
      <Field label={t('channel.prices.of', { model })} error={kind === 'like' ? undefined : refusal}>
        {(control) => (
          <Select
            {...control}
            value={kind}
            options={priceKinds.map((value) => ({ value, label: t(`channel.prices.${value}`) }))}
            onChange={setKind}
          />
        )}
      </Field>
      {kind === 'like' ? (
        <PriceField label={t('channel.prices.likeModel')} value={texts.like} onChange={set('like')} error={refusal} />
      ) : null}
      {kind === 'price' ? <PriceField label={t('channel.prices.input')} value={texts.input} onChange={set('input')} /> : null}
      {kind === 'price' ? <PriceField label={t('channel.prices.output')} value={texts.output} onChange={set('output')} /> : null}
      <BesideFields>
        <Button
          disabled={price === null}
          isBusy={save.isPending}
          onClick={() => (price === null ? undefined : save.mutate({ model, price }))}
        >
          {t('channel.prices.set')}
        </Button>
      </BesideFields>
    </div>
  )
}

interface PriceFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

function PriceField({ label, value, onChange, error }: PriceFieldProps) {
  return (
    <Field label={label} error={error}>
      {(control) => <Input {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)} />}
    </Field>
  )
}
