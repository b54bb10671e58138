/** The second factor of a login. */
export const secondStep = {
  'secondStep.title': 'Two-factor authentication',
  'secondStep.text': 'This account requires a second factor.',
  'secondStep.code': 'Code',
  'secondStep.hint': 'Six digits from your authenticator app, or a recovery code.',
  'secondStep.missing': 'Enter the code',
  'secondStep.submit': 'Continue',
  'secondStep.passkey': 'Use a passkey',
  'secondStep.cancel': 'Start over',
} as const
