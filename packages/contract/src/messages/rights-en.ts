/** Messages about what only root may do or allow, and about who may log in. `{name}` is filled in. */
export const rightsEn = {
  base_url_private: '{host} is in a private network. A super admin can allow it in Settings > System > Private upstreams.',
  service_address_private: '{service} is in a private network. A super admin can allow its host in Settings > System > Private upstreams.',
  proxy_private: 'The proxy {host} is in a private network. A super admin can allow it in Settings > System > Private upstreams.',
  option_needs_own_factor:
    'Enabling {name} would lock you and others out. Set up two-factor authentication for yourself first, or ask a super admin.',
  raw_proxy_needs_root: 'Only a super admin can create, change, enable or test Proxy channels',
  raw_proxy_rules_required: 'Enter the methods and path prefixes that this proxy forwards; / allows all paths',
  raw_proxy_refused: 'This proxy does not forward {method} requests to this path',
  oauth_register_disabled:
    'No account is linked to this {service} login, and new accounts cannot be created with {service}. Log in another way and link {service} in your settings, or ask an administrator for an account.',
  oauth_mail_not_allowed:
    'Your {service} account has no verified email address of an allowed domain. Use another {service} account, or ask an administrator.',
  oauth_domain_not_allowed: 'Your {service} account is not in an allowed organization. Use your work account, or ask an administrator.',
  oauth_organization_not_allowed:
    'Your {service} account is not in an allowed organization, or {service} does not disclose your membership. Ask an administrator.',
  server_address_missing:
    'Login with {service} is not available: the server address is not set, so {service} cannot redirect back. Ask an administrator to set ServerAddress.',
  oauth_group_not_allowed: 'Your {service} account is not in an allowed group. Ask an administrator.',
  log_private_upstreams:
    'There are several administrators now, so channels can reach only listed private hosts. {count} hosts of existing channels were added to the list: {hosts}. Not added because the list is full: {left}',
  log_option_proposed: '{actor} proposed a value of the option {key}, pending super admin approval',
  log_option_rejected: '{actor} rejected the proposed value of the option {key}',
  log_options_confirmed: '{actor} approved the options {keys}',
  log_options_waiting: 'Options pending super-admin approval: {keys}',
  option_pending: 'Saved as a proposal. The current value stays in effect until a super admin approves the new one.',
} as const
