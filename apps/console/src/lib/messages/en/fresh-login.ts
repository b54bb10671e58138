/** What only the first ten minutes after a login allow. */
export const freshLogin = {
  'freshLogin.title': 'Confirm that it is you',
  'freshLogin.text': 'Your login is more than ten minutes ago. Enter your password to go on.',
  'freshLogin.password': 'Password',
  'freshLogin.missing': 'Enter your password',
  'freshLogin.submit': 'Confirm',
  'freshLogin.again': 'Your login is more than ten minutes ago. Log in again to go on.',
  'freshLogin.login': 'Log in again',
} as const
