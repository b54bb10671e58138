import { contract } from '@sluice/contract'
import type { Reconciliation } from '../../ledger/reconcile.ts'
import { implement } from '../implement.ts'

interface LedgerDeps {
  readonly reconciliation: () => Reconciliation
}

export const ledgerApi = ({ reconciliation }: LedgerDeps) =>
  implement(contract.ledger, {
    async check() {
      const { checkedAt, elapsedMs, openHolds, staleHolds, negativeBalances, findings, ...same } = reconciliation()
      return {
        ...same,
        findings: [...findings],
        checked_at: checkedAt,
        elapsed_ms: elapsedMs,
        open_holds: openHolds,
        stale_holds: staleHolds,
        negative_balances: negativeBalances,
      }
    },
  })
