import {
  type ChannelRows,
  channel,
  channelFileMax,
  channelRowsIn,
  type ImportedRow,
  type ImportSource,
  sourceOfRows,
} from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { markChanged } from '../../lib/reads.ts'
import { runBulk } from '../../lib/run-bulk.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { jsonFault } from '../../ui/json-fault.ts'
import { partsOf } from './import-parts.ts'

/** Larger files are not read; this is many times what the largest number of channels needs. */
const fileMegabytesMax = 16
export const fileBytesMax = fileMegabytesMax * 1024 * 1024

/** An import of a hundred rows is one transaction, which may have to wait for others. */
const timeoutMs = 60_000

interface Counted {
  readonly done: number
  readonly total: number
}

export type ImportState =
  | { readonly kind: 'choosing'; readonly fault: string | undefined }
  | ({ readonly kind: 'reading' | 'importing' | 'undoing' } & Counted)
  | { readonly kind: 'preview'; readonly file: ChannelRows; readonly from: ImportSource; readonly rows: readonly ImportedRow[] }
  | { readonly kind: 'done'; readonly ids: readonly number[] /** Why it ended early; empty = it did not. */; readonly fault: string }

export type Preview = Extract<ImportState, { kind: 'preview' }>

export interface ChannelImport {
  readonly state: ImportState
  /** The preview of a file's text. */
  readonly read: (text: string) => void
  readonly refuse: (fault: string) => void
  readonly readAs: (file: ChannelRows, from: ImportSource) => void
  /** Imports the rows at these places of the file. */
  readonly start: (preview: Preview, places: readonly number[]) => void
  readonly stop: () => void
  readonly undo: (ids: readonly number[]) => void
  readonly restart: () => void
  readonly tooLarge: string
}

/** An import from the choice of a file to the undoing. The server reads the rows; here they are split into calls. */
export function useImport(): ChannelImport {
  const t = useT()
  const client = useQueryClient()
  const [state, setState] = useState<ImportState>({ kind: 'choosing', fault: undefined })
  const stopper = useRef(new AbortController())
  useEffect(() => () => stopper.current.abort(), [])
  const refuse = (fault: string) => setState({ kind: 'choosing', fault })
  const reasonOf = (error: unknown): string => explain(error)?.text ?? t('transfer.import.stopped')

  const readAs = async (file: ChannelRows, from: ImportSource): Promise<void> => {
    const total = file.rows.length
    const places = [...file.rows.keys()]
    const rows: ImportedRow[] = []
    try {
      for (const part of partsOf(file, places)) {
        setState({ kind: 'reading', done: rows.length, total })
        rows.push(...(await call(channel.importFile, { file: part.file, from, dry_run: true }, { timeoutMs })).rows)
      }
      setState({ kind: 'preview', file, from, rows })
    } catch (error) {
      refuse(reasonOf(error))
    }
  }

  const read = (text: string): void => {
    const file = fileIn(text, t)
    if (typeof file === 'string') refuse(file)
    else void readAs(file, sourceOfRows(file))
  }

  const start = async ({ file, from }: Preview, places: readonly number[]): Promise<void> => {
    stopper.current = new AbortController()
    const ids: number[] = []
    let done = 0
    let fault = ''
    try {
      // The newest channel of a list is its first row, so the last rows are imported first.
      for (const part of partsOf(file, places).toReversed()) {
        if (stopper.current.signal.aborted) {
          fault = t('transfer.import.stopped')
          break
        }
        setState({ kind: 'importing', done, total: places.length })
        const { rows } = await call(channel.importFile, { file: part.file, from }, { timeoutMs })
        ids.push(...rows.flatMap((row) => row.ids))
        done += part.places.length
      }
    } catch (error) {
      fault = reasonOf(error)
    }
    markChanged(client, channel.list)
    setState({ kind: 'done', ids, fault })
  }

  const undo = async (ids: readonly number[]): Promise<void> => {
    const total = ids.length
    setState({ kind: 'undoing', done: 0, total })
    const { done, failed } = await runBulk({
      rows: ids,
      act: (id) => call(channel.remove, { id }),
      onProgress: (count) => setState({ kind: 'undoing', done: count, total }),
      signal: new AbortController().signal,
    })
    markChanged(client, channel.list)
    showToast('success', t('transfer.import.undone', { count: done.length }))
    const left = failed.map(({ row }) => row)
    if (left.length === 0) setState({ kind: 'choosing', fault: undefined })
    else setState({ kind: 'done', ids: left, fault: t('transfer.import.undo.rest', { count: left.length }) })
  }

  return {
    ...{ state, read, refuse },
    readAs: (file, from) => void readAs(file, from),
    start: (preview, places) => void start(preview, places),
    stop: () => stopper.current.abort(),
    undo: (ids) => void undo(ids),
    restart: () => setState({ kind: 'choosing', fault: undefined }),
    tooLarge: t('transfer.import.large', { size: fileMegabytesMax }),
  }
}

/** The rows of a file's text, or why it cannot be imported. */
function fileIn(text: string, t: Translate): ChannelRows | string {
  if (text.trim() === '') return t('transfer.import.empty')
  const fault = jsonFault(text)
  if (fault !== null) return t('transfer.import.json', { line: fault.line, column: fault.column })
  const file = channelRowsIn(JSON.parse(text))
  if (file === null) return t('transfer.import.unknown')
  const count = file.rows.length
  if (count === 0) return t('transfer.import.none')
  return count > channelFileMax ? t('transfer.import.many', { count, max: channelFileMax }) : file
}
