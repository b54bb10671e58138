import { type DeliveryRow, notification } from '@sluice/contract'
import { useState } from 'react'
import { useT } from '../../../lib/t.ts'
import { formatTime, formatUtc } from '../../../lib/time.ts'
import { useRead } from '../../../lib/use-call.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { StatusBadge, type StatusLooks } from '../../../ui/status-badge.tsx'
import { deliveryStep } from './delivery-step.ts'
import { useTargetText } from './rule-texts.ts'

const deliveryLooks: StatusLooks<DeliveryRow['state']> = {
  byStatus: {
    waiting: { tone: 'yellow', text: 'notify.state.waiting' },
    sent: { tone: 'green', text: 'notify.state.sent' },
    failed: { tone: 'red', text: 'notify.state.failed' },
  },
}

/** The server returns no more. */
const rowsMax = 100

/** What was sent, newest first. */
export function Deliveries() {
  const t = useT()
  const [size, setSize] = useState(deliveryStep)
  const read = useRead(notification.history, { input: { size }, isPreloaded: true })
  return (
    <FormSection title={t('notify.history')}>
      <p className="text-muted">{t('notify.history.text')}</p>
      <ReadGate read={read} isPart>
        {(rows) => (
          <>
            {rows.length === 0 ? <p className="text-muted">{t('notify.history.none')}</p> : null}
            <ul className="divide-y">
              {rows.map((row) => (
                <DeliveryItem key={row.id} row={row} />
              ))}
            </ul>
            {rows.length < size || size >= rowsMax ? null : (
              <Button onClick={() => setSize(Math.min(rowsMax, size + deliveryStep))}>{t('notify.history.more')}</Button>
            )}
          </>
        )}
      </ReadGate>
    </FormSection>
  )
}

function DeliveryItem({ row }: { readonly row: DeliveryRow }) {
  const t = useT()
  const targetText = useTargetText()
  const { rule_name, text, is_test, state, attempts, error, created_time, next_time, target, address } = row
  const facts = [
    targetText({ target, address }),
    t('notify.history.attempts', { count: attempts }),
    ...(next_time === 0 ? [] : [t('notify.history.next', { time: formatTime(next_time) })]),
  ]
  return (
    <li className="space-y-0.5 py-2.5 first:pt-0 last:pb-0">
      <span className="flex flex-wrap items-center gap-2">
        <time title={formatUtc(created_time)} className="text-sm text-muted tabular">
          {formatTime(created_time)}
        </time>
        <span dir="auto" className="min-w-0 font-medium [overflow-wrap:anywhere]">
          {rule_name}
        </span>
        <StatusBadge looks={deliveryLooks} status={state} />
        {is_test ? <Badge tone="grey">{t('notify.history.test')}</Badge> : null}
      </span>
      <p className="[overflow-wrap:anywhere]">{text}</p>
      <p className="text-sm text-muted [overflow-wrap:anywhere]">{facts.join(' · ')}</p>
      {error === '' ? null : <p className="text-sm text-red [overflow-wrap:anywhere]">{error}</p>}
    </li>
  )
}
