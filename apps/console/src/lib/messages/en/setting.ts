/** The settings page and its tabs for administrators. */
export const setting = {
  'setting.title': 'Settings',
  'setting.tabs': 'Settings sections',
  'setting.tab.personal': 'Personal',
  'setting.tab.security': 'Security',
  'setting.tab.notification': 'Notifications',
  'setting.tab.operations': 'Operations',
  'setting.tab.system': 'System',
  'setting.tab.other': 'Other',
  'setting.tab.unsaved': 'unsaved changes',
  'setting.search': 'Search settings',
} as const
