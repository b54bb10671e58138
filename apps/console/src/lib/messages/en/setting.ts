/** The settings page and its tabs for administrators. */
export const setting = {
  'setting.title': 'Settings',
  'setting.tabs': 'Kinds of settings',
  'setting.tab.personal': 'Personal',
} as const
