/** What only the first ten minutes after a login allow. */
export const freshLogin = {
  'freshLogin.title': 'Confirm that it’s you',
  'freshLogin.text': 'For your security, enter your password again.',
  'freshLogin.password': 'Password',
  'freshLogin.missing': 'Enter your password',
  'freshLogin.submit': 'Confirm',
  'freshLogin.again': 'For your security, log in again to continue.',
  'freshLogin.login': 'Log in again',
} as const
