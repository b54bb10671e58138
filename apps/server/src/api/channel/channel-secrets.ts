import type { ChannelRow } from '@sluice/contract'
import type { ChannelTable } from '../../db/schema.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import type { Seal } from '../../lib/seal.ts'

type SealedColumns = Pick<ChannelTable, 'key_sealed' | 'config_sealed'> & { readonly id: number; readonly settings_sealed: string }

/** What a channel stores sealed, each as text; `null`: it cannot be read with this master key, or is damaged, and must be entered again. */
export interface ChannelSecrets {
  readonly key: string | null
  /** JSON of an object; empty = nothing is set. */
  readonly config: string | null
  readonly settings: string | null
}

/** Opens the sealed columns of channels. A column that cannot be read stands in the way of no other, and of no other channel. */
export interface OpenChannelSecrets {
  key(row: Pick<SealedColumns, 'id' | 'key_sealed'>): string | null
  config(sealed: string): string | null
  settings(sealed: string): string | null
  all(row: SealedColumns): ChannelSecrets
}

export function createOpenChannelSecrets(seal: Seal): OpenChannelSecrets {
  const key: OpenChannelSecrets['key'] = ({ id, key_sealed: sealed }) => seal.tryOpen(sealed, seal.rowPurpose('channel-key', id))
  const config = (sealed: string): string | null => (sealed === '' ? '' : seal.tryOpen(sealed, 'channel-config'))
  function settings(sealed: string): string | null {
    const text = sealed === '' ? '' : seal.tryOpen(sealed, 'channel-settings')
    return text === null || text === '' || isObjectText(text) ? text : null
  }
  return {
    ...{ key, config, settings },
    all: (row) => ({ key: key(row), config: config(row.config_sealed), settings: settings(row.settings_sealed) }),
  }
}

export function unreadableIn({ key, config, settings }: ChannelSecrets): ChannelRow['unreadable'] {
  return [
    ...(key === null ? ['key' as const] : []),
    ...(config === null ? ['config' as const] : []),
    ...(settings === null ? ['settings' as const] : []),
  ]
}

function isObjectText(text: string): boolean {
  const value = tryParseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
