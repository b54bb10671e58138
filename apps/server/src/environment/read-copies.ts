import { isHttpAddress } from '@sluice/contract'
import type { S3Place } from '../relay/model/file-place.ts'
import type { Findings, ReadText } from './variables.ts'

// Where copies go: of the database, and of the results of tasks.

export interface BackupPlan {
  readonly everyMs: number
  /** Number of copies that are kept. */
  readonly keep: number
  readonly folder: string
}

const durationUnitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const backupEveryMaxMs = 366 * 86_400_000

/** How often the database is copied, and where to; `null` = it is not. */
export function readBackups(text: ReadText, keep: number, { problems, warnings }: Findings): BackupPlan | null {
  const every = text('BACKUP_EVERY')
  const folder = text('BACKUP_DIR', `${text('DATA_DIR', 'data')}/backups`)
  if (every === '') {
    if (text('BACKUP_DIR') !== '' || text('BACKUP_KEEP') !== '')
      warnings.push('BACKUP_DIR and BACKUP_KEEP have no effect without BACKUP_EVERY: no backups are made')
    return null
  }
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(every) ?? []
  const everyMs = Number(count) * (durationUnitsMs[unit] ?? 0)
  if (everyMs < 1_000 || everyMs > backupEveryMaxMs) problems.push(`BACKUP_EVERY must be a duration like 30m, 24h or 7d, not "${every}"`)
  return { everyMs, keep, folder }
}

/** All of it or nothing; what is wrong is said without the values, which hold secrets. */
export function readS3Place(text: ReadText, { problems, warnings }: Findings): S3Place | null {
  const endpoint = webAddress('RESULTS_S3_ENDPOINT', text('RESULTS_S3_ENDPOINT'), problems)
  const place = {
    endpoint,
    bucket: text('RESULTS_S3_BUCKET'),
    region: text('RESULTS_S3_REGION', 'us-east-1'),
    accessKeyId: text('RESULTS_S3_ACCESS_KEY_ID'),
    secretAccessKey: text('RESULTS_S3_SECRET_ACCESS_KEY'),
  }
  if (endpoint === '') {
    if (place.bucket !== '' || place.accessKeyId !== '' || place.secretAccessKey !== '')
      warnings.push('RESULTS_S3_BUCKET and the keys have no effect without RESULTS_S3_ENDPOINT: results are kept in DATA_DIR')
    return null
  }
  const isWhole = Object.values(place).every((value) => value !== '')
  if (!isWhole) problems.push('RESULTS_S3_ENDPOINT needs RESULTS_S3_BUCKET, RESULTS_S3_ACCESS_KEY_ID and RESULTS_S3_SECRET_ACCESS_KEY')
  return place
}

/** An address that holds no secret; empty = none. */
export function webAddress(name: string, value: string, problems: string[]): string {
  if (value !== '' && !isHttpAddress(value)) problems.push(`${name} must be an address like https://host/path, not "${value}"`)
  return value
}
