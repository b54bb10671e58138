import type { LogRow } from '@sluice/contract'
import { groupBy } from '../../lib/group-by.ts'
import { rewriteName } from '../../lib/rewrite-name.ts'
import { useT } from '../../lib/t.ts'
import { Fact, Facts } from '../../ui/facts.tsx'

/** What the gateway changed in the request, by kind. The texts hold names of the client, which turn the direction of nothing: an arrow points right. */
export function RewriteList({ rewrites }: Pick<LogRow, 'rewrites'>) {
  const t = useT()
  const byKind = groupBy(rewrites, ({ kind }) => kind)
  return (
    <Facts title={t('log.sheet.rewrites')}>
      {[...byKind].map(([kind, list]) => (
        <Fact
          key={kind}
          label={rewriteName(kind, t)}
          value={list.map(({ what }) => (
            <bdi key={what} dir="ltr" className="block font-mono text-xs break-all whitespace-pre-wrap">
              {what}
            </bdi>
          ))}
        />
      ))}
    </Facts>
  )
}
