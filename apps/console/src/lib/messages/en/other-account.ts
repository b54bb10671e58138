/** A page whose account is no longer the one that is logged in. */
export const otherAccount = {
  'other.title': '{name} is logged in now',
  'other.title.unknown': 'Another account is logged in now',
  'other.text':
    'You switched accounts in another tab, so this page of {own} can no longer save or load anything. Copy what you need before you reload.',
  'other.load': 'Reload as {name}',
  'other.none': 'You were logged out in another tab',
  'other.none.text': 'Your entries stay here. Forms also keep them for {own}, without passwords and keys, until the next login.',
  'other.login': 'Log in again',
} as const
