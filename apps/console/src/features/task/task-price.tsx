import { type CreateAction, task, type VideoFacts } from '@sluice/contract'
import { useFormContext, useWatch } from 'react-hook-form'
import { explain } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { QuotaText } from '../../ui/table/column-builders.tsx'
import { actionOf, createBody, parametersOf, type TaskFormParts, type TaskFormValues } from './task-form-values.ts'
import { modelOf } from './use-model-fields.ts'
import { useVideoFacts } from './use-video-facts.ts'

/** No price depends on the words. */
const anyPrompt = '-'

/** How long task parameters must stay unchanged before their price is requested. */
const typedMs = 400

interface EstimateInput {
  readonly kind: TaskFormValues['kind']
  readonly action: CreateAction
  readonly source: string
  readonly order: ReturnType<typeof createBody>
  readonly files: number
  readonly film: VideoFacts | null
}

/** The price of the order as it stands: `undefined` while it is not known, or something is missing. */
function useEstimate(parts: TaskFormParts) {
  const { files, fields, change } = parts
  // Holds: every field of the form has a value from the beginning.
  const values = useWatch({ control: useFormContext<TaskFormValues>().control }) as TaskFormValues
  const isOfVideo = fields?.needs_film === true
  const video = useVideoFacts(isOfVideo ? files[0] : undefined)
  const input: EstimateInput = {
    kind: values.kind,
    action: actionOf(parts),
    source: change?.id ?? '',
    order: createBody({ ...values, prompt: anyPrompt }, parts),
    files: isOfVideo ? 0 : files.length,
    film: video ?? null,
  }
  const inputJson = JSON.stringify(input)
  const settled = useSettled(inputJson, typedMs)
  const needsVideo = isOfVideo && video === undefined
  const isReady = modelOf(values.kind, values.model) !== '' && parametersOf(values.parameters) !== null && !needsVideo
  const { data, error } = useRead(task.estimate, {
    // Holds: it was made of such an object.
    input: JSON.parse(settled) as EstimateInput,
    isEnabled: isReady && settled === inputJson,
    freshMs: 30_000,
    isSilent: true,
  })
  return { needsVideo, error: isReady ? error : null, estimate: isReady && error === null && settled === inputJson ? data : undefined }
}

/** What the order will cost, before it is sent. */
export function TaskPrice(parts: TaskFormParts) {
  const t = useT()
  const { needsVideo, error, estimate } = useEstimate(parts)
  return (
    <div role="status" className="min-h-5 text-sm text-muted [overflow-wrap:anywhere]">
      {needsVideo ? t('task.add.price.film') : null}
      {error === null ? null : t('task.add.price.none', { reason: explain(error)?.text ?? '' })}
      {estimate === undefined ? null : (
        <>
          {t('task.add.price')}{' '}
          <span className="font-semibold text-text">
            <QuotaText quota={estimate.quota} />
          </span>
          {estimate.seconds === null ? null : ` · ${t('task.seconds.count', { count: estimate.seconds })}`}
          {estimate.size === '' ? null : ` · ${estimate.size}`}
        </>
      )}
    </div>
  )
}
