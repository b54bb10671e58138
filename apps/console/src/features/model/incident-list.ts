import { type ModelStatusRow, stateOfShare } from '@sluice/contract'

const hour = 3_600
const day = 86_400

/** A time in which a model could not be served, or only in part. */
export interface Incident {
  readonly name: string
  readonly state: 'degraded' | 'down'
  /** Seconds since the epoch; the end is exclusive. */
  readonly from: number
  readonly to: number
  /** The lowest share of its hours or days, in hundredths of a percent. */
  readonly share: number
  /** Whether it is known by the hour. */
  readonly isHourly: boolean
}

interface Slot {
  readonly from: number
  readonly to: number
  readonly share: number | null
}

interface Clock {
  /** When the present day and hour begin. */
  readonly day: number
  readonly hour: number
}

/** The incidents of all models, the latest first: of the last 24 hours by the hour, and of the days before. */
export function incidentsOf(models: readonly Pick<ModelStatusRow, 'name' | 'days' | 'hours'>[], clock: Clock): readonly Incident[] {
  return models.flatMap((model) => incidentsOfModel(model, clock)).sort((one, other) => other.to - one.to || other.from - one.from)
}

function incidentsOfModel({ name, days, hours }: Pick<ModelStatusRow, 'name' | 'days' | 'hours'>, clock: Clock): readonly Incident[] {
  const hourly = runsOf(slotsOf(hours, { last: clock.hour, seconds: hour }))
  // What is known by the hour is not listed by the day again.
  const isTold = ({ from, to }: Slot): boolean => to > clock.day || hourly.some((run) => run.from < to && run.to > from)
  const daily = runsOf(slotsOf(days, { last: clock.day, seconds: day }).filter((slot) => !isTold(slot)))
  return [...daily.map((run) => ({ ...run, name, isHourly: false })), ...hourly.map((run) => ({ ...run, name, isHourly: true }))]
}

function slotsOf(
  shares: readonly (number | null)[],
  { last, seconds }: { readonly last: number; readonly seconds: number },
): readonly Slot[] {
  return shares.map((share, index) => {
    const from = last - (shares.length - 1 - index) * seconds
    return { from, to: from + seconds, share }
  })
}

/** Bad slots that follow each other, as one. */
function runsOf(slots: readonly Slot[]): ReadonlyArray<Pick<Incident, 'state' | 'from' | 'to' | 'share'>> {
  const runs: Array<Pick<Incident, 'state' | 'from' | 'to' | 'share'>> = []
  for (const { from, to, share } of slots) {
    const state = share === null ? 'up' : stateOfShare(share)
    if (share === null || state === 'up') continue
    const before = runs.at(-1)
    if (before?.to !== from) runs.push({ state, from, to, share })
    else runs[runs.length - 1] = { ...before, to, share: Math.min(share, before.share), state: before.state === 'down' ? 'down' : state }
  }
  return runs
}
