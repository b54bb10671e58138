/**
 * How large channels may be, so that nobody waits for them: far above what gateways have (an aggregator lists two thousand models), and low
 * enough that a start, an edit and every list take a moment. Rows that are stored already may be larger.
 */
export const channelLimits = {
  /** Models of one channel, and rows of its mapping and of its cost prices. */
  models: 5_000,
  rows: 5_000,
  /** Characters that one call stores: the models and settings of a channel, times the number of keys. */
  createdCharacters: 16 * 1024 * 1024,
  /** Of all channels together: their number, the different names of models, and the characters of model lists and of all other settings. */
  channels: 20_000,
  differentModels: 10_000,
  modelCharacters: 64 * 1024 * 1024,
  settingCharacters: 64 * 1024 * 1024,
} as const

/** What a channel stores beside its models, as it is stored. */
export interface StoredSettings {
  readonly model_mapping: string
  readonly other: string
  readonly settings_sealed?: string | undefined
  readonly config_sealed: string
}

/** The characters that `settingCharacters` limits. */
export function settingCharactersOf({ model_mapping, other, settings_sealed = '', config_sealed }: StoredSettings): number {
  return model_mapping.length + other.length + settings_sealed.length + config_sealed.length
}
