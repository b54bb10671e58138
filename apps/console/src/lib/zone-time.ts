// Times of day in a zone of the reader's choice, by the zone data of the browser.

/** By zone: making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: two, day: two, hour: two, minute: two, second: two },
  })
  formats.set(zone, format)
  return format
}

/** The zone of the browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The usual name of a zone; `null` = the browser does not know it. */
export function zoneNamed(name: string): string | null {
  try {
    return formatOf(name).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** `YYYY-MM-DD HH:mm:ss` in a zone, from seconds since the epoch. */
export function formatInZone(seconds: number, zone: string): string {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(seconds * 1_000)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ''
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`
}

const daySeconds = 86_400
const hourSeconds = 3_600

const readUtc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`) / 1_000

/**
 * The first moment at which clocks of a zone show a time or, where they skip it, a later one.
 * @param text `YYYY-MM-DD HH:mm:ss`
 */
export function inZone(text: string, zone: string): number {
  const localSeconds = readUtc(text)
  // The offset of a zone a day before and after is the one before or after a change of its clocks.
  const offsets = [-daySeconds, daySeconds].map(
    (distance) => readUtc(formatInZone(localSeconds + distance, zone)) - localSeconds - distance,
  )
  const moments = offsets.map((offset) => localSeconds - offset).sort((one, other) => one - other)
  return moments.find((moment) => formatInZone(moment, zone) === text) ?? moments[1] ?? localSeconds
}

/** Days after a day, both as `YYYY-MM-DD`. */
export const dayAfter = (day: string, days: number): string =>
  new Date((readUtc(`${day} 00:00:00`) + days * daySeconds) * 1_000).toISOString().slice(0, 10)

/** The first moment of the day in a zone. */
export const dayStart = (seconds: number, zone: string): number => inZone(`${formatInZone(seconds, zone).slice(0, 10)} 00:00:00`, zone)

/** The first moment of the next day. Days of a change of the clock have 23 or 25 hours. */
export const nextDay = (seconds: number, zone: string): number =>
  inZone(`${dayAfter(formatInZone(seconds, zone).slice(0, 10), 1)} 00:00:00`, zone)

/** The moment `days` days earlier at this time of day in the zone. */
export function daysBefore(seconds: number, days: number, zone: string): number {
  const [day = '', time = ''] = formatInZone(seconds, zone).split(' ')
  return inZone(`${dayAfter(day, -days)} ${time}`, zone)
}

/** The first moment of the month in a zone, or of the month before. */
export function monthStart(seconds: number, zone: string, back = 0): number {
  const first = inZone(`${formatInZone(seconds, zone).slice(0, 7)}-01 00:00:00`, zone)
  return back === 0 ? first : monthStart(first - hourSeconds, zone, back - 1)
}
