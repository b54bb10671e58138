import type { channel, InputOf } from '@sluice/contract'

/** Which channels are exported. */
export type ExportInput = InputOf<typeof channel.exportFile>
