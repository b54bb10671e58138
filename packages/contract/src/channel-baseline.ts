import { channelSettingNames } from './channel-settings.ts'

/** Fields of which an update can say what its form showed: without the key. Secrets within the others are blank, as in the row. */
export const channelBaselineFields = [
  'name',
  'type',
  'models',
  'model_mapping',
  'base_url',
  'other',
  'group',
  'tag',
  'config',
  'priority',
  'weight',
  ...channelSettingNames,
] as const
