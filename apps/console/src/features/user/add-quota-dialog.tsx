import { type UserRow, user } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import { explain, isLost } from '../../lib/api.ts'
import { formatQuota, parseWhole } from '../../lib/quota.ts'
import { randomId } from '../../lib/random-id.ts'
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

/** Offered with one click, in units of money. */
const quickUnits = [5, 20, 100] as const

interface AddQuotaDialogProps {
  readonly row: UserRow
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onAdded: (row: UserRow, quota: number) => void
}

/** Adds to an account's balance, with a note that its user can read. */
export function AddQuotaDialog({ row, isOpen, onClose, onAdded }: AddQuotaDialogProps) {
  const t = useT()
  const money = useMoney()
  const { typed, remark, setTyped, setRemark, add, submit, quota } = useAddition({ row, onClose, onAdded })
  const refused = refusedField(add.error, ['quota', 'remark'])
  const errorOf = (name: 'quota' | 'remark') => (refused?.name === name ? refused.text : undefined)
  // Sent again it must be the same, so that it is added once.
  const mustRepeat = isLost(add.error)
  return (
    <Dialog title={t('user.addQuota.title', { name: row.username })} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} noValidate className="space-y-4">
        {refused === null ? <Failure error={add.error} /> : null}
        <Field label={t('user.addQuota.amount')} aside={`${t('user.quota')} ${formatQuota(row.quota, money)}`} error={errorOf('quota')}>
          {(control) => <QuotaInput control={control} value={typed} onChange={setTyped} isDisabled={mustRepeat} />}
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {quickUnits.map((units) => (
            <Button key={units} size="sm" disabled={mustRepeat} onClick={() => setTyped(String(units * money.quotaPerUnit))}>
              +{formatQuota(units * money.quotaPerUnit, money)}
            </Button>
          ))}
        </div>
        <Field label={t('user.addQuota.remark')} hint={t('user.addQuota.remark.hint')} error={errorOf('remark')}>
          {(control) => (
            <Input {...control} value={remark} maxLength={255} readOnly={mustRepeat} onChange={({ target }) => setRemark(target.value)} />
          )}
        </Field>
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={add.isPending} disabled={quota === 0}>
            {t(mustRepeat ? 'user.addQuota.again' : 'user.addQuota.submit')}
          </Button>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A refusal that is about no field, or a response that was lost. */
function Failure({ error }: { readonly error: Error | null }) {
  const t = useT()
  if (isLost(error)) return <Alert kind="warning">{t('user.addQuota.lost')}</Alert>
  const why = error === null ? null : explain(error)
  return why === null ? null : <Alert kind="error">{why.text}</Alert>
}

function useAddition({ row, onClose, onAdded }: Omit<AddQuotaDialogProps, 'isOpen'>) {
  const t = useT()
  const [typed, setTyped] = useState('')
  const [remark, setRemark] = useState('')
  const [formId, setFormId] = useState(randomId)
  const add = useCall(user.topUp, {
    onDone: (_, { quota }) => {
      onAdded(row, quota)
      showToast('success', t('user.addQuota.done'))
      setTyped('')
      setRemark('')
      setFormId(randomId())
      onClose()
    },
  })
  const quota = parseWhole(typed) ?? 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (quota > 0) add.mutate({ user_id: row.id, quota, remark: remark.trim(), form_id: formId })
  }
  return { typed, remark, setTyped, setRemark, add, submit, quota }
}
