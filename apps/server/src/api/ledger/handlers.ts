import { contract } from '@sluice/contract'
import { type Reconciliation, withTexts } from '../../ledger/reconcile.ts'
import { implement } from '../implement.ts'
import type { SetAsides } from './set-aside.ts'

interface LedgerDeps {
  readonly reconciliation: () => Reconciliation
  readonly setAsides: SetAsides
}

export const ledgerApi = ({ reconciliation, setAsides }: LedgerDeps) =>
  implement(contract.ledger, {
    setAside: setAsides.list,
    setAsideOf: ({ id }) => setAsides.get(id),
    retry: ({ id }, caller) => setAsides.retry(id, caller),
    resolve: (input, caller) => setAsides.resolve(input, caller),

    async check() {
      const { checkedAt, elapsedMs, openHolds, staleHolds, negativeBalances, findings, ...same } = reconciliation()
      return {
        ...same,
        findings: findings.map(withTexts),
        checked_at: checkedAt,
        elapsed_ms: elapsedMs,
        open_holds: openHolds,
        stale_holds: staleHolds,
        negative_balances: negativeBalances,
        set_aside: await setAsides.count(),
      }
    },
  })
