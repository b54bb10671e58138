/** Pages whose content an administrator stores, and frames of other sites. */
export const content = {
  'frame.title': '{name}: page of another site',
  'frame.open': 'Open in a new tab',
  'frame.quiet': 'Does the page stay empty? The site may not allow other sites to show it.',
  'frame.slow': 'This page takes long to load. The site may be down, or may not allow other sites to show it.',
  'frame.blocked': 'The address of this page has changed since you opened the console. Reload to see it.',
  'about.title': 'About',
  'about.what': '{name} is a gateway to AI models: one address and one key for the models of many vendors.',
  'about.use': 'Programs that speak the API of OpenAI work with it unchanged. Use this base URL and a token of yours as the key.',
  'about.address.copy': 'Copy the base URL',
  'about.docs': 'Management API',
  'about.hint': 'The administrators can write this page themselves.',
  'about.hint.admin': 'To replace this page, set About under Settings, Other: Markdown, HTML, or the address of a page.',
  'chat.none': 'No chat has been set up',
  'chat.none.text': 'An administrator can set the address of a chat client.',
} as const
