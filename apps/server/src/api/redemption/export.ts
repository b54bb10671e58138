import { exportColumns, type RedemptionRow, redemptionStateAt } from '@sluice/contract'
import { type ColumnsFor, exportWords, type FileColumn, namedColumns, timeWriter, wordOf } from '../export-file.ts'

interface RedemptionColumnsFor extends ColumnsFor {
  /** Seconds since the epoch: what has expired by then is called so. */
  readonly now: number
}

/** The columns of exported redemption codes. */
export function redemptionFileColumns({ zone, language, now }: RedemptionColumnsFor): Readonly<Record<string, FileColumn<RedemptionRow>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  return namedColumns<RedemptionRow, typeof exportColumns.redemption>(exportColumns.redemption, words, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    key: ({ key, unreadable }) => (unreadable.length > 0 ? words('value.unreadable') : key),
    status: (row) => wordOf(words, 'redemption.status', redemptionStateAt(row, now)),
    quota: ({ quota }) => quota,
    created: ({ created_time }) => timeOf(created_time),
    expires: ({ expired_time }) => (expired_time === -1 ? words('time.never') : timeOf(expired_time)),
    redeemed: ({ redeemed_time }) => (redeemed_time === 0 ? words('redemption.redeemed.never') : timeOf(redeemed_time)),
  })
}
