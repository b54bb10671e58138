/** Notices for root above every page. */
export const notices = {
  'options.waiting.title': 'Settings need your approval',
  'options.waiting.text':
    'An administrator changed these. Until you approve them, administrators cannot log in or reset passwords with these methods.',
  'options.pending.text': 'Proposed by an administrator. The current value applies until you approve the new one:',
  'options.upstreams.text':
    'This server has several administrators, so channels can reach only listed private hosts. Hosts of existing channels were added automatically. Review the list in Settings > System:',
  'options.inForce': '(current: {value})',
  'options.reject': 'Reject {key}',
  'options.rejected': 'Proposed value rejected',
  'proxies.open.title': 'Unrestricted proxy channels',
  'proxies.open.text': 'These channels forward any method to any path. Allow only the methods and paths you need:',
  'hosts.any.title': 'This server accepts any host name',
  'hosts.any.text':
    'Other sites could reach it through a host name of their own. Set the server address in the settings, or list the allowed names in the environment variable ALLOWED_HOSTS.',
  'hosts.any.go': 'Open settings',
  'logins.address.title': 'Login methods without a callback URL: {services}',
  'logins.address.text': 'These services redirect back to the server address after login. Until you set it, their logins are rejected.',
  'options.confirm': 'Approve',
  'options.confirmed': 'Settings approved',
  'options.secret': '(secret)',
  'options.empty': '(empty)',
  'unreadable.title': 'Some stored values cannot be read with this master key',
  'unreadable.text':
    'Restore the correct master key or enter these values again. Owners of affected tokens and authenticator apps must set up new ones.',
  'unreadable.channels': { one: '{count} channel', other: '{count} channels' },
  'unreadable.tokens': { one: '{count} token', other: '{count} tokens' },
  'unreadable.redemptions': { one: '{count} redemption code', other: '{count} redemption codes' },
  'unreadable.options': { one: '{count} setting', other: '{count} settings' },
  'unreadable.notification_rules': { one: '{count} webhook', other: '{count} webhooks' },
  'unreadable.second_factors': { one: '{count} authenticator app', other: '{count} authenticator apps' },
} as const
