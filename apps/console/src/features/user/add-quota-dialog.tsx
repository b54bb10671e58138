import { type UserRow, user } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import { formatQuota, parseWhole } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
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
  const [typed, setTyped] = useState('')
  const [remark, setRemark] = useState('')
  const add = useCall(user.topUp, {
    onDone: (_, { quota }) => {
      onAdded(row, quota)
      showToast('success', t('user.addQuota.done'))
      setTyped('')
      setRemark('')
      onClose()
    },
  })
  const quota = parseWhole(typed) ?? 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (quota > 0 && !add.isPending) add.mutate({ user_id: row.id, quota, remark: remark.trim() })
  }
  return (
    <Dialog title={t('user.addQuota.title', { name: row.username })} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} noValidate className="space-y-4">
        <Field label={t('user.addQuota.amount')} aside={`${t('user.quota')} ${formatQuota(row.quota, money)}`}>
          {(control) => <QuotaInput control={control} value={typed} onChange={setTyped} />}
        </Field>
        <div className="flex flex-wrap gap-1.5">
          {quickUnits.map((units) => (
            <Button key={units} size="sm" onClick={() => setTyped(String(units * money.quotaPerUnit))}>
              +{formatQuota(units * money.quotaPerUnit, money)}
            </Button>
          ))}
        </div>
        <Field label={t('user.addQuota.remark')} hint={t('user.addQuota.remark.hint')}>
          {(control) => <Input {...control} value={remark} maxLength={255} onChange={({ target }) => setRemark(target.value)} />}
        </Field>
        <div className="flex gap-2">
          <Button type="submit" look="primary" isBusy={add.isPending} disabled={quota === 0}>
            {t('user.addQuota.submit')}
          </Button>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
