/** Pages whose content an administrator stores, and frames of other sites. */
export const content = {
  'frame.title': '{name}: page of another site',
  'frame.open': 'Open in a new tab',
  'frame.quiet': 'Still an empty page? The site may not allow embedding.',
  'frame.slow': 'This page is slow to load. The site may be down or may not allow embedding.',
  'frame.blocked': 'The URL of this page changed after you opened the console. Reload to see it.',
  'about.title': 'About',
  'about.what': '{name} is a gateway to AI models: one base URL and one key for models of many vendors.',
  'about.use': 'Apps that use the OpenAI API work unchanged. Use this base URL, and one of your tokens as the key.',
  'about.address.copy': 'Copy base URL',
  'about.docs': 'Management API',
  'about.hint': 'Administrators can replace this page.',
  'about.hint.admin': 'To replace this page, set About in Settings > Other: Markdown, HTML or a URL.',
  'chat.none': 'No chat is configured',
  'chat.none.text': 'An administrator can set a chat link.',
} as const
