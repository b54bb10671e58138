import { exportColumns, type Language, type RedemptionRow } from '@sluice/contract'
import { exportWords, type FileColumn, namedColumns, timeWriter, wordOf } from '../export-file.ts'

interface ColumnsFor {
  readonly zone: string
  readonly language: Language
}

/** The columns of exported redemption codes. */
export function redemptionFileColumns({ zone, language }: ColumnsFor): Readonly<Record<string, FileColumn<RedemptionRow>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  return namedColumns<RedemptionRow, typeof exportColumns.redemption>(exportColumns.redemption, words, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    key: ({ key }) => key,
    status: ({ status }) => wordOf(words, 'redemption.status', status),
    quota: ({ quota }) => quota,
    created: ({ created_time }) => timeOf(created_time),
    redeemed: ({ redeemed_time }) => (redeemed_time === 0 ? words('redemption.redeemed.never') : timeOf(redeemed_time)),
  })
}
