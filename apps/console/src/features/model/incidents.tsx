import type { DataOf, model } from '@sluice/contract'
import { useState } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { formatTime, formatUtc } from '../../lib/time.ts'
import { Button } from '../../ui/button.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type Incident, incidentsOf } from './incident-list.ts'
import { modelLooks } from './model-looks.ts'
import { shareText } from './uptime-bars.tsx'

interface IncidentsProps {
  readonly status: DataOf<typeof model.status>
  /** The models that are listed above. */
  readonly names: readonly string[]
}

/** Incidents that are shown at first, and added with each press of the button below. */
const pageRows = 10

const day = 86_400

/** When which model could not be served, or only in part. */
export function Incidents({ status, names }: IncidentsProps) {
  const t = useT()
  const [visibleCount, setVisibleCount] = useState(pageRows)
  const listed = new Set(names)
  const incidents = incidentsOf(
    status.models.filter(({ name }) => listed.has(name)),
    status,
  )
  return (
    <section aria-label={t('uptime.incidents')} className="rounded-md border bg-surface">
      <h2 className="px-4 pt-3 pb-2 font-semibold">{t('uptime.incidents')}</h2>
      {incidents.length === 0 ? (
        <p className="px-4 pb-3 text-sm text-muted">{t('uptime.incidents.none')}</p>
      ) : (
        <ul className="divide-y border-t">
          {incidents.slice(0, visibleCount).map((incident) => (
            <li
              key={`${incident.name} ${incident.from} ${incident.isHourly}`}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm"
            >
              <span className="w-full text-muted tabular sm:w-72">{timeText(incident, t)}</span>
              <span className="min-w-0 flex-1 font-mono break-all">{incident.name}</span>
              <span className="text-muted tabular">{shareText(incident.share, t)}</span>
              <StatusBadge looks={modelLooks} status={incident.state} />
            </li>
          ))}
        </ul>
      )}
      {incidents.length > visibleCount ? (
        <div className="flex justify-center border-t py-2">
          <Button size="sm" onClick={() => setVisibleCount(visibleCount + pageRows)}>
            {t('model.more')}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

/** Hours in the zone of the reader, days in UTC, as the bars have them. */
function timeText({ from, to, isHourly }: Incident, t: Translate): string {
  if (isHourly) return `${formatTime(from).slice(0, 16)} – ${formatTime(to).slice(11, 16)}`
  const [first, last] = [formatUtc(from).slice(0, 10), formatUtc(to - day).slice(0, 10)]
  return first === last ? first : t('uptime.incidents.days', { first, last })
}
