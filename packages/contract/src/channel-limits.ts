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
