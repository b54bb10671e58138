import { type TaskFields, task } from '@sluice/contract'
import { useFormContext, useWatch } from 'react-hook-form'
import { explain } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { QuotaText } from '../../ui/table/column-builders.tsx'
import { type OrderParts, type OrderValues, orderBody, parametersOf } from './task-order.ts'
import { modelOf } from './use-model-fields.ts'

/** No price depends on the words. */
const anyPrompt = '-'

/** How long an order must stand before its price is asked for. */
const typedMs = 400

/** What the order will cost, before it is sent. */
export function OrderPrice({ files, fields }: OrderParts) {
  const t = useT()
  // Holds: every field of the form has a value from the beginning.
  const values = useWatch({ control: useFormContext<OrderValues>().control }) as OrderValues
  const order = orderBody({ ...values, prompt: anyPrompt }, { files, fields })
  const asked = JSON.stringify({ kind: values.kind, order, files: files.length })
  const settled = useSettled(asked, typedMs)
  const isReady = modelOf(values.kind, values.model) !== '' && parametersOf(values.parameters) !== null && fields?.needs_film !== true
  const { data, error } = useRead(task.estimate, {
    // Holds: it was made of such an object.
    input: JSON.parse(settled) as { readonly kind: OrderValues['kind']; readonly order: typeof order; readonly files: number },
    isEnabled: isReady && settled === asked,
    freshMs: 30_000,
    isSilent: true,
  })
  return (
    <div role="status" className="min-h-5 text-sm text-muted [overflow-wrap:anywhere]">
      {!isReady ? note(fields, t) : error !== null ? t('task.add.price.none', { reason: explain(error)?.text ?? '' }) : null}
      {isReady && error === null && data !== undefined && settled === asked ? (
        <>
          {t('task.add.price')}{' '}
          <span className="font-semibold text-text">
            <QuotaText quota={data.quota} />
          </span>
          {data.seconds === null ? null : ` · ${t('task.seconds.count', { count: data.seconds })}`}
          {data.size === '' ? null : ` · ${data.size}`}
        </>
      ) : null}
    </div>
  )
}

function note(fields: TaskFields | null, t: ReturnType<typeof useT>): string | null {
  return fields?.needs_film === true ? t('task.add.price.film') : null
}
