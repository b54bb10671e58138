import { ledger, type SetAsideRow, setAsideRemarkMax } from '@sluice/contract'
import { type FormEvent, useRef, useState } from 'react'
import { explain } from '../../lib/api.ts'
import { formatQuota, parseWhole } from '../../lib/quota.ts'
import { refusedField } from '../../lib/refused-field.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { QuotaInput } from '../../ui/quota-input.tsx'
import { nameOf } from './set-aside-looks.ts'

interface ResolveDialogProps {
  readonly row: SetAsideRow
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onResolved: (row: SetAsideRow) => void
  /** The row may have changed since it was read. */
  readonly onRefused: () => void
}

/** Ends the reservation of a charge with an amount that root chooses. */
export function ResolveDialog({ row, isOpen, ...events }: ResolveDialogProps) {
  const t = useT()
  const money = useMoney()
  const { typed, remark, setTyped, setRemark, resolve, submit, max, isWrong, input } = useResolution({ row, ...events })
  const refused = refusedField(resolve.error, ['charge', 'remark'])
  const errorOf = (name: 'charge' | 'remark') => (refused?.name === name ? refused.text : undefined)
  const failure = refused === null && resolve.error !== null ? explain(resolve.error)?.text : undefined
  return (
    <Dialog title={t('aside.resolve.title', { name: nameOf(row) })} isOpen={isOpen} onClose={events.onClose}>
      <form onSubmit={submit} noValidate className="space-y-4">
        <p className="text-muted">{t('aside.resolve.text')}</p>
        {failure === undefined ? null : <Alert kind="error">{failure}</Alert>}
        <Field
          label={t('aside.resolve.charge')}
          aside={t('aside.resolve.max', { max: formatQuota(max, money) })}
          hint={t('aside.resolve.charge.hint')}
          error={isWrong ? t('aside.resolve.charge.wrong', { max: formatQuota(max, money) }) : errorOf('charge')}
        >
          {(control) => <QuotaInput control={control} inputRef={input} value={typed} onChange={setTyped} />}
        </Field>
        <Field label={t('aside.remark')} hint={t('aside.resolve.remark.hint')} error={errorOf('remark')}>
          {(control) => (
            <Input {...control} value={remark} maxLength={setAsideRemarkMax} onChange={({ target }) => setRemark(target.value)} />
          )}
        </Field>
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={resolve.isPending}>
            {t('aside.resolve')}
          </Button>
          <Button onClick={events.onClose}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

function useResolution({ row, onClose, onResolved, onRefused }: Omit<ResolveDialogProps, 'isOpen'>) {
  const t = useT()
  const max = Math.max(row.amount, row.held, 0)
  const [typed, setTyped] = useState(String(Math.max(row.amount, 0)))
  const [remark, setRemark] = useState('')
  const [isTried, setTried] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const resolve = useCall(ledger.resolve, {
    onDone: (response) => {
      onResolved(response)
      showToast('success', t('aside.resolve.done'))
      onClose()
    },
    onRefused,
  })
  const charge = parseWhole(typed)
  const isRight = charge !== null && charge <= max
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (isRight) resolve.mutate({ id: row.id, charge, remark: remark.trim() })
    else input.current?.focus()
  }
  return { typed, remark, setTyped, setRemark, resolve, submit, max, isWrong: isTried && !isRight, input }
}
