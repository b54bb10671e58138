import {
  type ChannelRow,
  type contract,
  exportColumns,
  exportedChannel,
  type FileStream,
  type Language,
  type ParsedInputOf,
} from '@sluice/contract'
import { vendorByType } from '@sluice/vendors/registry/list'
import {
  type ColumnsFor,
  exportFile,
  exportWords,
  type FileColumn,
  namedColumns,
  plainRowOf,
  stepAfter,
  timeWriter,
  wordOf,
} from '../export-file.ts'

/** The columns of exported channels. */
function channelFileColumns({ zone, language }: ColumnsFor): Readonly<Record<string, FileColumn<ChannelRow>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  return namedColumns<ChannelRow, typeof exportColumns.channel>(exportColumns.channel, words, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    group: ({ group }) => group,
    tag: ({ tag }) => tag,
    type: ({ type }) => typeName(type, language),
    status: ({ status }) => wordOf(words, 'channel.status', status),
    // Seconds.
    response: ({ response_time }) => (response_time === 0 ? '' : (response_time / 1000).toFixed(2)),
    balance: ({ balance }) => balance,
    priority: ({ priority }) => priority,
    weight: ({ weight }) => weight,
    testModel: ({ test_model }) => test_model,
    models: ({ models }) => models,
    created: ({ created_time }) => timeOf(created_time),
  })
}

function typeName(type: number, language: Language): string {
  const vendor = vendorByType(type)
  if (vendor === null) return String(type)
  return language === 'zh' ? (vendor.nameZh ?? vendor.name) : vendor.name
}

type ExportParams = Pick<ParsedInputOf<typeof contract.channel.export>, 'columns' | 'zone' | 'format'>

/** A file of all channels that match. */
export function exportChannels(
  { columns, zone, format }: ExportParams,
  language: Language,
  next: (step: ReturnType<typeof stepAfter>) => Promise<readonly ChannelRow[]>,
): Promise<FileStream> {
  return exportFile({
    ...{ name: 'channel', format, columnIds: columns, columns: channelFileColumns({ zone, language }) },
    plain: plainRowOf(exportedChannel),
    next: (last) => next(stepAfter(last)),
  })
}
