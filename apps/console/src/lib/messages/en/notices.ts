/** Notices for root above every page. */
export const notices = {
  'options.waiting.title': 'Options wait for you',
  'options.waiting.text':
    'An administrator has set these. Until you confirm them, administrators can neither log in nor reset their password by what relies on them.',
  'options.pending.text': 'Proposed by an administrator. The current value stays in force until you approve the new one:',
  'options.upstreams.text':
    'There are several administrators, so channels may reach only listed private hosts. Those of existing channels were listed automatically. Review the list in Settings > System:',
  'options.inForce': '(now: {value})',
  'options.reject': 'Reject {key}',
  'options.rejected': 'Proposed value rejected',
  'proxies.open.title': 'Proxy channels without limits',
  'proxies.open.text': 'These channels forward every method to every path. Enter the methods and paths that are needed:',
  'hosts.any.title': 'This server answers at every host name',
  'hosts.any.text':
    'Pages of other sites could reach it under a name of their own. Set the server address in the settings, or list the names in the environment variable ALLOWED_HOSTS.',
  'hosts.any.go': 'Open settings',
  'logins.address.title': 'Logins without a return address: {services}',
  'logins.address.text': 'These logins are refused until the server address is set, because the services send the browser back to it.',
  'options.confirm': 'Confirm',
  'options.confirmed': 'Options confirmed',
  'options.secret': '(secret)',
  'options.empty': '(empty)',
  'unreadable.title': 'Some stored values cannot be read with this master key',
  'unreadable.text':
    'Put the right master key back, or enter these values again. Owners of tokens and authenticator apps must create new keys.',
  'unreadable.channels': { one: '{count} channel', other: '{count} channels' },
  'unreadable.tokens': { one: '{count} token', other: '{count} tokens' },
  'unreadable.redemptions': { one: '{count} redemption code', other: '{count} redemption codes' },
  'unreadable.options': { one: '{count} setting', other: '{count} settings' },
  'unreadable.notification_rules': { one: '{count} webhook', other: '{count} webhooks' },
  'unreadable.second_factors': { one: '{count} authenticator app', other: '{count} authenticator apps' },
} as const
