/** When something expires. */
export const expiry = {
  'expiry.label': 'Expires at',
  'expiry.placeholder': 'YYYY-MM-DD HH:mm:ss, empty = never',
  'expiry.never': 'Never expires.',
  'expiry.future': 'Expires {relative}.',
  'expiry.error': 'expiry time format error',
  'expiry.quick': 'Set expiry',
  'expiry.quick.never': 'Never',
  'expiry.quick.year': '1 year',
  'expiry.quick.month': '1 month',
  'expiry.quick.week': '1 week',
  'expiry.quick.day': '1 day',
  'expiry.quick.hour': '1 hour',
  'expiry.quick.minute': '1 minute',
} as const
