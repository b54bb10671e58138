import type { Endpoint, ExportFormat } from '@sluice/contract'
import { useState } from 'react'
import type { ZodMiniType } from 'zod/mini'
import { callFile, toastError } from './api.ts'
import { saveFile } from './download.ts'
import { fileStamp } from './time.ts'

export type { ExportFormat }

/** A list that the server exports as a whole. */
export interface FileExport {
  /** Begins an export; the columns are for CSV. */
  readonly start: (format: ExportFormat, columns: readonly string[]) => void
  readonly stop: () => void
  /** Rows that have arrived; `null` = no export is running. */
  readonly rowCount: number | null
}

interface FileExportSpec {
  /** Begins the name of the file. */
  readonly name: string
  /** `null` = the list has no file. */
  readonly file: { readonly endpoint: Endpoint<ZodMiniType, ZodMiniType>; readonly input: () => Readonly<Record<string, unknown>> } | null
}

interface Running {
  readonly stop: () => void
  readonly rowCount: number
}

/** The export of all rows that match, made by the server as a file. */
export function useFileExport({ name, file: source }: FileExportSpec): FileExport {
  const [running, setRunning] = useState<Running | null>(null)
  const start = async (format: ExportFormat, columns: readonly string[]): Promise<void> => {
    if (source === null) return
    const stopper = new AbortController()
    setRunning({ stop: () => stopper.abort(), rowCount: 0 })
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    try {
      const input = { ...source.input(), columns: columns.join(','), zone, format }
      const file = await callFile(source.endpoint, input, { signal: stopper.signal, onPart: count })
      saveFile(`${name}-${fileStamp(new Date())}.${format}`, file)
    } catch (error) {
      // A stopped export is not reported.
      toastError(error)
    } finally {
      setRunning(null)
    }
  }
  const count = (text: string): void => {
    const lines = text.split('\n').length - 1
    setRunning((last) => last && { ...last, rowCount: last.rowCount + lines })
  }
  return { start: (format, columns) => void start(format, columns), stop: () => running?.stop(), rowCount: running?.rowCount ?? null }
}
