/** The second step of a login. */
export const secondStep = {
  'secondStep.title': 'Second step of the login',
  'secondStep.text': 'This account asks for a second factor.',
  'secondStep.code': 'Code',
  'secondStep.hint': 'Six digits from your authenticator app, or one of your recovery codes.',
  'secondStep.missing': 'Enter the code',
  'secondStep.submit': 'Continue',
  'secondStep.passkey': 'Use a passkey',
  'secondStep.cancel': 'Begin again',
} as const
