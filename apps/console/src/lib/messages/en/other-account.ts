/** A page whose account is no longer the one that is logged in. */
export const otherAccount = {
  'other.title': '{name} is logged in now',
  'other.title.unknown': 'Another account is logged in now',
  'other.text':
    'This page was opened by {own}, so it can no longer save or load anything. What you typed stays here until you load the page again: copy what you need.',
  'other.load': 'Load the page as {name}',
  'other.none': 'You were logged out in another tab',
  'other.none.text': 'What you typed stays here. Forms also keep it for {own}, without passwords and keys, until the next login.',
  'other.login': 'Log in again',
} as const
