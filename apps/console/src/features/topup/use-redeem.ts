import { account, redemption, type SelfRow } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError, call, toastError } from '../../lib/api.ts'
import { editRead, markChanged, readKey } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { type CodeResult, type CodeRow, redeemEach } from './redeem-codes.ts'

interface Redeeming {
  /** @returns the codes that were not redeemed */
  readonly redeem: (codes: readonly string[]) => Promise<readonly CodeRow[]>
  /** The codes of the last sending, with what became of each so far. */
  readonly rows: readonly CodeRow[]
  readonly isBusy: boolean
}

export function useRedeem(): Redeeming {
  const t = useT()
  const client = useQueryClient()
  const [rows, setRows] = useState<readonly CodeRow[]>([])
  const [isBusy, setBusy] = useState(false)

  const redeemOne = async (key: string): Promise<CodeResult> => {
    try {
      const quota = await call(redemption.redeem, { key })
      editRead<SelfRow>(client, readKey(account.self, {}), (self) => ({ ...self, quota: self.quota + quota }))
      return { kind: 'added', quota }
    } catch (error) {
      const result = resultOf(error, t('topup.unknown'))
      if (result.kind === 'waiting') toastError(error)
      return result
    }
  }

  const notify = (done: readonly CodeRow[]) => {
    const left = done.filter(({ result }) => result.kind !== 'added')
    const [first] = left
    if (first === undefined) showToast('success', t('topup.done'))
    else if (left.some(({ result }) => result.kind === 'unknown')) showToast('error', t('topup.failed'))
    else if (done.length === 1 && first.result.kind === 'refused') showToast('error', first.result.text)
    else if (left.every(({ result }) => result.kind === 'refused')) {
      showToast('error', t('bulk.failed', { done: done.length - left.length, failed: left.length }))
    }
    return left
  }

  const redeem = async (codes: readonly string[]) => {
    setBusy(true)
    try {
      return notify(await redeemEach(codes, redeemOne, setRows))
    } finally {
      setBusy(false)
      // After a lost response, these say whether the code was redeemed.
      markChanged(client, redemption.redeem)
    }
  }
  return { redeem, rows, isBusy }
}

/**
 * A refusal has a reason. A server that ended the session or asks to wait has not looked at the code. After any other failure it is not
 * known whether it did.
 */
function resultOf(error: unknown, unknown: string): CodeResult {
  if (!(error instanceof CallError)) throw error
  const { failure } = error
  if (failure.kind === 'refused') return { kind: 'refused', text: failure.message }
  const isUnread = failure.kind === 'expired' || (failure.kind === 'http' && failure.status < 500)
  return isUnread ? { kind: 'waiting' } : { kind: 'unknown', text: unknown }
}
