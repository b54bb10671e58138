import { type ChannelRow, channel } from '@sluice/contract'
import { CircleAlert, CircleCheck, Zap } from 'lucide-react'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { call, explain } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { type ChannelValues, toInput } from './channel-values.ts'
import { useFormChannel } from './form-channel.ts'
import { testModelOf } from './test-model.ts'

/** Longer than the server's timeout for the first byte of a vendor. */
const timeoutMs = 130_000

type Outcome = { readonly kind: 'passed' | 'failed'; readonly text: string }

/** Tests the channel as the form describes it, without saving it. */
export function FormTest() {
  const t = useT()
  const { getValues } = useFormContext<ChannelValues>()
  const stored = useFormChannel()
  const [isTesting, setTesting] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const test = async () => {
    setTesting(true)
    setOutcome(null)
    try {
      const { model, time } = await call(channel.testForm, testInput(getValues(), stored), { timeoutMs })
      setOutcome({ kind: 'passed', text: t('channel.formTest.passed', { model, seconds: time.toFixed(2) }) })
    } catch (error) {
      setOutcome({ kind: 'failed', text: explain(error)?.text ?? '' })
    } finally {
      setTesting(false)
    }
  }
  return (
    <>
      <Button isBusy={isTesting} onClick={() => void test()}>
        {isTesting ? null : <Zap aria-hidden className="size-4 text-muted" />}
        {t('channel.formTest')}
      </Button>
      <span role="status" className="min-w-0 flex-1 basis-52 text-sm break-words">
        {outcome === null ? null : <OutcomeText {...outcome} />}
      </span>
    </>
  )
}

function OutcomeText({ kind, text }: Outcome) {
  const [Icon, tone] = kind === 'passed' ? [CircleCheck, 'text-green'] : [CircleAlert, 'text-red']
  return (
    <span className={`flex items-start gap-1.5 ${tone}`}>
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {text}
    </span>
  )
}

function testInput(values: ChannelValues, stored: ChannelRow | null) {
  const { test_model, models } = values
  const {
    name: _,
    group: __,
    priority: ___,
    weight: ____,
    tag: _____,
    ...input
  } = toInput(values, {
    vendor: vendorByType(values.type),
    config: stored?.config ?? '',
  })
  const model = test_model.trim() || testModelOf(models, undefined)
  return { ...input, model, ...(stored !== null && { id: stored.id }) }
}
