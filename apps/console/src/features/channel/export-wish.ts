import type { channel, InputOf } from '@sluice/contract'

/** Which channels are exported. */
export type ExportWish = InputOf<typeof channel.exportFile>
